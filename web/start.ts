import './design/design.css';

/** In two pieces, between which the page answers: what packages it stands on, and what is ours. */
async function begin(): Promise<void> {
  await import('react-dom/client');
  await new Promise((resolve) => setTimeout(resolve));
  await import('./main.tsx');
}

// What the page came with is painted first: to read and run the scripts takes longer, most of all on a phone. A page that
// nobody sees is not painted, and does not wait for it.
if (document.visibilityState === 'hidden') void begin();
else requestAnimationFrame(() => setTimeout(() => void begin()));

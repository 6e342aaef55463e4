import './design/design.css';

/** Loads the packages first and our code after a pause, so that the page stays responsive in between. */
async function begin(): Promise<void> {
  await import('react-dom/client');
  await new Promise((resolve) => setTimeout(resolve));
  await import('./main.tsx');
}

// The static page is painted before the scripts run, which take long on a phone. A hidden page is never painted and does not
// wait.
if (document.visibilityState === 'hidden') void begin();
else requestAnimationFrame(() => setTimeout(() => void begin()));

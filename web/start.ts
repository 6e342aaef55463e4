import './design/design.css';

// zod finds out whether it may compile code by trying it, and the browser reports the attempt as a violation of the
// Content-Security-Policy. zod reads this setting when it is loaded, with the first page that checks a form.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

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

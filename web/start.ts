import './design/design.css';
import { takeLinkedWorkspace } from './account/chosen-workspace.ts';
import { beginRequests, firstReads } from './begun-requests.ts';
import { storedColumns } from './execution/list/stored-columns.ts';

// zod finds out whether it may compile code by trying it, and the browser reports the attempt as a violation of the
// Content-Security-Policy. zod reads this setting when it is loaded, with the first page that checks a form.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

takeLinkedWorkspace();
const begun = beginRequests(firstReads(FIRST_READS, location, storedColumns().includes('args')));

/**
 * Runs the files that the HTML lists (`preloads.ts`): the packages, our code, those of the page, and `main.tsx` last. Each is a task of
 * its own, so that the page stays responsive in between.
 */
async function begin(): Promise<void> {
  for (const file of document.querySelectorAll<HTMLLinkElement>('link[rel=svc-page]'))
    file.rel = 'modulepreload';
  const files = [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')];
  const [main] = files.filter(({ dataset }) => dataset.main !== undefined);
  for (const file of files) {
    if (file === main) continue;
    // The router loads the files of a page again, and waits for a hub that is away.
    await import(/* @vite-ignore */ file.href).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve));
  }
  await begun;
  await import(/* @vite-ignore */ main?.href ?? '');
}

// The static page is painted before the scripts run, which take long on a phone. A hidden page is never painted and does not
// wait.
if (document.visibilityState === 'hidden') void begin();
else requestAnimationFrame(() => setTimeout(() => void begin()));

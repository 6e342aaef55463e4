import { queryClient } from '../query-client.ts';

/** A page that has asked for nothing for so long has all of its data. */
const QUIET_MS = 5_000;
/** A page whose data changes all the time is not waited for. */
const MAX_WAIT_MS = 30_000;

/** Resolves when the page has its data and has asked for nothing for some seconds. */
export function whenQuiet(): Promise<void> {
  const untilMs = performance.now() + MAX_WAIT_MS;
  return new Promise((resolve) => {
    const end = () => {
      unsubscribe();
      resolve();
    };
    let timer = setTimeout(end, QUIET_MS);
    const unsubscribe = queryClient.getQueryCache().subscribe(({ type }) => {
      if (type !== 'updated' || performance.now() > untilMs) return;
      clearTimeout(timer);
      timer = setTimeout(end, QUIET_MS);
    });
  });
}

interface Connection {
  readonly saveData?: boolean;
}

/** Whether the person asked their browser to save data; Safari and Firefox do not tell. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: Connection };
  return connection?.saveData === true;
}

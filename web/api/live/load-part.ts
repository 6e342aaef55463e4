import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isConnected, whenConnected } from './live.ts';

/** A file that is missing while the hub is reachable was replaced by a newer version of the dashboard. */
const MAX_TRIES_WHILE_CONNECTED = 3;
const PAUSE_MS = 400;
/** The live stream may be blocked by a proxy that passes everything else. */
const MAX_WAIT_MS = 5_000;

/** Loads a part of the dashboard. A hub that is away delays the load and does not fail it. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let tries = 1; ; ) {
    try {
      return await load();
    } catch (error) {
      if (isConnected()) tries += 1;
      if (tries > MAX_TRIES_WHILE_CONNECTED) throw error;
    }
    await pause(PAUSE_MS);
    await Promise.race([whenConnected(), pause(MAX_WAIT_MS)]);
  }
}

const prefetched: (() => Promise<unknown>)[] = [];

/** A component in a file of its own, which is loaded when it first renders, or earlier while the page is idle. */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  prefetched.push(load);
  return lazyHeavyPart(load);
}

/** The same for a large part that few visits need: it is not loaded before it renders. */
export function lazyHeavyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}

/** Loads the pages and then the parts, one at a time while the page is idle, so that the dashboard works while the hub is away. */
export async function prefetchParts(pages: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  for (const load of pages) await loadWhenIdle(load);
  for (const load of prefetched) await loadWhenIdle(load);
}

async function loadWhenIdle(load: () => Promise<unknown> | undefined): Promise<void> {
  await idle();
  // A part that fails to load is loaded again when it renders.
  await load()?.catch(() => undefined);
}

/** Safari has no `requestIdleCallback`. */
function idle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve) : setTimeout(resolve, 50),
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import { existsSync } from 'node:fs';

const POLL_MS = 10;

/** Settles when there is something at this path. */
export function untilExists(path: string): Promise<void> {
  return untilPoll(() => existsSync(path));
}

/**
 * Settles when a look at the disk finds what is waited for.
 *
 * NOTE: It looks again and again, because Bun's `watch` now and then misses what happens right after it has begun.
 */
export async function untilPoll(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

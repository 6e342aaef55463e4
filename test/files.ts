import { existsSync } from 'node:fs';

const POLL_MS = 10;

/** Settles when there is something at this path. */
export function untilExists(path: string): Promise<void> {
  return untilPoll(() => existsSync(path));
}

/**
 * Settles when the condition holds on the disk.
 *
 * NOTE: It polls, because Bun's `watch` sometimes misses changes right after it has begun.
 */
export async function untilPoll(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

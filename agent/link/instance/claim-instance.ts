import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lock } from './lock.ts';

/** A folder that belongs to one agent process at a time. */
export interface Instance {
  readonly folder: string;
  /** Lets the next process have it. */
  release(): void;
}

const MOST_PROCESSES = 256;

/**
 * Takes the first folder below `root` that no other process has: several processes under one name are a pool (decision
 * 31), and each has a journal of its own. One that starts again finds what it left.
 */
export function claimInstance(root: string): Instance {
  for (let place = 0; place < MOST_PROCESSES; place += 1) {
    const folder = join(root, String(place));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // One that was there may be open to others: what it holds is output of commands, too.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const release = lock(join(folder, 'lock'));
    if (release !== undefined) return { folder, release };
  }
  throw new Error(`${MOST_PROCESSES} processes of this agent run on this machine already`);
}

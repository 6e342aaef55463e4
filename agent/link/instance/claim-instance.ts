import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lock } from './lock.ts';

/** A folder that belongs to one agent process at a time, and the id that the folder keeps for all that follow. */
export interface Instance {
  readonly id: string;
  readonly folder: string;
  /** Lets the next process have it. */
  release(): void;
}

const MOST_PROCESSES = 256;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Takes the first folder below `root` that no other process has: several processes under one name are a pool (decision
 * 31), and each has a journal of its own. One that starts again finds what it left.
 */
export function claimInstance(root: string): Instance {
  for (let place = 0; place < MOST_PROCESSES; place += 1) {
    const folder = join(root, String(place));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const release = lock(join(folder, 'lock'));
    if (release !== undefined) return { id: readId(join(folder, 'instance')), folder, release };
  }
  throw new Error(`${MOST_PROCESSES} processes of this agent run on this machine already`);
}

function readId(path: string): string {
  try {
    const id = readFileSync(path, 'utf8').trim();
    if (UUID.test(id)) return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const id = crypto.randomUUID();
  writeFileSync(`${path}.new`, `${id}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return id;
}

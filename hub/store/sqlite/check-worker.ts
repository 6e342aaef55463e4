import { isDamage } from '../damage.ts';
import type { CheckDepth } from '../open-database.ts';
import { reasonOf } from '../unavailable.ts';
import { checkFile } from './check-file.ts';
import { openForReading } from './connection.ts';
import { lowerPriority } from './lower-priority.ts';

declare const self: Worker;

/** The entry of the thread that looks for damage. */
export interface CheckOrder {
  readonly file: string;
  readonly depth: CheckDepth;
}

/** `failure`: why the file could not be checked. */
export type CheckReport = { readonly findings: readonly string[] } | { readonly failure: string };

const BUSY_TIMEOUT_MS = 10_000;

lowerPriority();

self.onmessage = ({ data }: MessageEvent<CheckOrder>) => {
  self.postMessage(check(data));
};

function check({ file, depth }: CheckOrder): CheckReport {
  try {
    using database = openForReading(file, BUSY_TIMEOUT_MS);
    return { findings: checkFile(database, depth) };
  } catch (error) {
    return isDamage(error) ? { findings: [reasonOf(error)] } : { failure: reasonOf(error) };
  }
}

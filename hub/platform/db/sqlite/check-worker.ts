import { openSync, readSync } from 'node:fs';
import { isDamage } from '../damage.ts';
import type { CheckDepth } from '../database.ts';
import { reasonOf } from '../unavailable.ts';
import { checkFile, openForReading } from './connection.ts';

declare const self: Worker;

/** The entry of the thread that checks for damage. */
export interface CheckOrder {
  readonly file: string;
  readonly depth: CheckDepth;
}

/** `failure`: why the file could not be checked. */
export type CheckReport = { readonly findings: readonly string[] } | { readonly failure: string };

const BUSY_TIMEOUT_MS = 10_000;
const PIECE_BYTES = 1024 * 1024;

self.onmessage = ({ data }: MessageEvent<CheckOrder>) => {
  self.postMessage(check(data));
};

/**
 * Reads the file into memory from beginning to end, and pauses after each piece for as long as the piece took. The check itself
 * jumps from page to page. On a file that is not in memory it takes a hundred times as long; meanwhile the write-ahead log grows,
 * and the thread cannot be stopped.
 *
 * NOTE: The file stays open until the thread's process ends: closing it would release the locks of this process on it.
 */
function readAhead(file: string): void {
  const descriptor = openSync(file, 'r');
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let from = 0; ; from += PIECE_BYTES) {
    const beganAtMs = performance.now();
    if (readSync(descriptor, piece, 0, PIECE_BYTES, from) === 0) return;
    Bun.sleepSync(performance.now() - beganAtMs);
  }
}

function check({ file, depth }: CheckOrder): CheckReport {
  try {
    readAhead(file);
    using database = openForReading(file, BUSY_TIMEOUT_MS);
    return { findings: checkFile(database, depth) };
  } catch (error) {
    return isDamage(error) ? { findings: [reasonOf(error)] } : { failure: reasonOf(error) };
  }
}

import { fdatasyncSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../measure/statistics.ts';

const PAGE = new Uint8Array(4096);
const WRITES = 60;

/**
 * Milliseconds of one durable write of 4 KiB at the end of a file in this folder, p50: what no store can be faster than
 * that answers only for what is on the disk.
 */
export async function durableWriteMs(folder: string): Promise<number> {
  await using file = await open(join(folder, 'durable-write'), 'a');
  const tookMs: number[] = [];
  while (tookMs.length < WRITES) {
    const began = performance.now();
    await file.write(PAGE);
    fdatasyncSync(file.fd);
    tookMs.push(performance.now() - began);
  }
  return median(tookMs);
}

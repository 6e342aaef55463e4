import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Waits } from './disk.ts';

// A process of its own: `bun disk-program.ts FILE SECONDS` brings 4 KiB to the disk a hundred times a second, and prints `Waits`
// as one line.

const BYTES = Buffer.alloc(4_096, 1);
const UP_TO = 16 * 1024 * 1024;
const PAUSE_MS = 10;

const [file = '', seconds = ''] = process.argv.slice(2);
const descriptor = openSync(file, 'w', 0o600);
// Like a log that is used again: no write makes the file longer.
writeSync(descriptor, Buffer.alloc(UP_TO, 1));
fdatasyncSync(descriptor);
const untilMs = performance.now() + Number(seconds) * 1000;
const waitsMs: number[] = [];
for (let at = 0; performance.now() < untilMs; at = (at + BYTES.length) % UP_TO) {
  const beganAtMs = performance.now();
  writeSync(descriptor, BYTES, 0, BYTES.length, at);
  fdatasyncSync(descriptor);
  waitsMs.push(performance.now() - beganAtMs);
  await Bun.sleep(PAUSE_MS);
}
closeSync(descriptor);
rmSync(file);
const sorted = waitsMs.toSorted((a, b) => a - b);
const waits: Waits = { p99Ms: sorted[Math.floor(0.99 * sorted.length)] ?? 0, maxMs: sorted.at(-1) ?? 0 };
console.log(JSON.stringify(waits));

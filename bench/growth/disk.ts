import { join } from 'node:path';

/** How long writes of 4 KiB took to be on the disk. */
export interface Waits {
  readonly p99Ms: number;
  readonly maxMs: number;
}

const PROGRAM = new URL('./disk-program.ts', import.meta.url).pathname;

/** How long the disk makes a plain program wait that writes little: a call that is stored can do no better in the same seconds. */
export async function diskWaits(folder: string, seconds: number): Promise<Waits> {
  const argv = [process.execPath, PROGRAM, join(folder, 'floor'), `${seconds}`];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await new Response(child.stdout).text()) as Waits;
}

import { join } from 'node:path';
import { fileURLToPath } from 'bun';
import type { Request } from '../load/load.ts';
import { firstLine } from '../peers/first-line.ts';
import { orStop, stop } from '../peers/server.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('./insert-server.ts'));
const KEY = `svc_sk_${'0'.repeat(49)}`;

/** Runs `insert-server.ts` in a process of its own, and names the request that it answers. */
export interface InsertFloor extends AsyncDisposable {
  readonly pid: number;
  readonly request: Request;
}

/** Stores the rows in the folder. */
export async function startInsertFloor(folder: string): Promise<InsertFloor> {
  const argv = [process.execPath, PROGRAM, join(folder, 'floor.db'), KEY];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await orStop(child, firstLine(child.stdout));
  return {
    pid: child.pid,
    request: { url, headers: { 'x-api-key': KEY } },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

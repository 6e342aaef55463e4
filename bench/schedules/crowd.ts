import { fileURLToPath } from 'bun';
import { firstLine } from '../peers/first-line.ts';
import type { Running } from '../peers/hub.ts';
import { orStop, stop } from '../peers/server.ts';

/** So many agents, each with so many endpoints that fire every minute: 10,000. */
export const CROWD = { agents: 10, schedules: 1_000 } as const;
/** The same as a few, to see whether it works. */
export const FEW = { agents: 2, schedules: 100 } as const;

export type Crowd = typeof CROWD | typeof FEW;

const PROGRAM = fileURLToPath(import.meta.resolve('./crowd-agents.ts'));

/** Settles when the hub has welcomed all of them. */
export async function startCrowd(
  hubUrl: string,
  token: string,
  { agents, schedules }: Crowd,
): Promise<Pick<Running, 'pid'> & AsyncDisposable> {
  const argv = [process.execPath, PROGRAM, hubUrl, token, String(agents), String(schedules)];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  await orStop(child, firstLine(child.stdout));
  return { pid: child.pid, [Symbol.asyncDispose]: () => stop(child) };
}

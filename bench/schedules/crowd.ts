import { fileURLToPath } from 'bun';
import { firstLine } from '../peers/first-line.ts';
import { orStop, stop } from '../peers/server.ts';

/** This many agents, each with this many endpoints that fire every minute: 10,000. */
export const CROWD = { agents: 10, schedules: 1_000 } as const;
/** The same as a few, to see whether it works. */
export const FEW = { agents: 2, schedules: 100 } as const;

export type Crowd = typeof CROWD | typeof FEW;

const PROGRAM = fileURLToPath(import.meta.resolve('./crowd-agents.ts'));

export interface RunningCrowd extends AsyncDisposable {
  /** When the order of each execution reached its agent, by its id; to be requested just before the hub stops. */
  orders(): Promise<ReadonlyMap<string, number>>;
}

/** Settles when the hub has welcomed all of them. */
export async function startCrowd(
  hub: { readonly url: string; readonly token: string },
  { agents, schedules }: Crowd,
  file: string,
): Promise<RunningCrowd> {
  const argv = [process.execPath, PROGRAM, hub.url, hub.token, String(agents), String(schedules), file];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  await orStop(child, firstLine(child.stdout));
  return {
    async orders() {
      await child.exited;
      return new Map(Object.entries((await Bun.file(file).json()) as Record<string, number>));
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

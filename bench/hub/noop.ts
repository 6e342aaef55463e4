import { fileURLToPath } from 'bun';
import { firstLine } from '../peers/first-line.ts';
import type { Running } from '../peers/hub.ts';
import { orStop, stop } from '../peers/server.ts';

/** The endpoint of the no-op agent, and the output that it reports for each execution. */
export const NOOP_SLUG = 'noop';
export const NOOP_CONFIG = JSON.stringify({
  version: 1,
  endpoints: [{ name: NOOP_SLUG, command: 'echo hi' }],
});
export const NOOP_OUTPUT = 'hi\n';

const PROGRAM = fileURLToPath(import.meta.resolve('./noop-agent.ts'));

/** Settles when the hub has welcomed it. */
export async function startNoopAgent(
  hubUrl: string,
  token: string,
): Promise<Pick<Running, 'pid'> & AsyncDisposable> {
  const child = Bun.spawn([process.execPath, PROGRAM, hubUrl, token], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await orStop(child, firstLine(child.stdout));
  return { pid: child.pid, [Symbol.asyncDispose]: () => stop(child) };
}

import { fileURLToPath } from 'bun';
import { Lines } from '../../test/lines.ts';
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

type Agent = Pick<Running, 'pid'> & AsyncDisposable;

/** Settles when the hub has welcomed it. */
export async function startNoopAgent(hubUrl: string, token: string): Promise<Agent> {
  const child = Bun.spawn([process.execPath, PROGRAM, token, hubUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await orStop(child, firstLine(child.stdout));
  return { pid: child.pid, [Symbol.asyncDispose]: () => stop(child) };
}

/** An agent whose process runs before the hub does; `connect` settles when the hub has welcomed it. */
export async function readyNoopAgent(
  token: string,
): Promise<Agent & { connect(hubUrl: string): Promise<void> }> {
  const child = Bun.spawn([process.execPath, PROGRAM, token], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = new Lines(child.stdout);
  await orStop(child, lines.find(/^ready$/m));
  return {
    pid: child.pid,
    async connect(hubUrl) {
      await child.stdin.write(`${hubUrl}\n`);
      await child.stdin.flush();
      await orStop(child, lines.find(/^connected$/m));
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}

import type { Request } from '../load/load.ts';

/** A server under measurement, in a process of its own; disposing of it ends the process and waits for that. */
export interface Server extends AsyncDisposable {
  /** How a report names what was measured. */
  readonly description: string;
  /** Without a slash at the end. */
  readonly url: string;
}

const READY_WITHIN_MS = 10_000;
const ASK_AGAIN_MS = 10;

/** A free port of the loopback address, for programs that cannot choose one themselves. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

/** Settles when the server answers at all. For programs that do not say when they are ready. */
export async function untilItAnswers(url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await fetch(url);
      return;
    } catch (cause) {
      if (performance.now() > deadline) throw new Error(`${url} does not answer`, { cause });
      await Bun.sleep(ASK_AGAIN_MS);
    }
  }
}

/** Makes sure that both sides do the work before anybody counts how often they do it. */
export async function expectAnswer({ url, headers }: Request, part: string): Promise<void> {
  const response = await fetch(url, { headers: { accept: 'application/json', ...headers } });
  const body = await response.text();
  if (response.status !== 200 || !body.includes(part)) {
    throw new Error(`${url} answered ${response.status} ${JSON.stringify(body)}: 200 with ${part} expected`);
  }
}

export async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGKILL');
  await child.exited;
}

/** The promise of a starting server; if it is rejected, its process must not outlive us. */
export async function orStop<T>(child: Bun.Subprocess, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (cause) {
    await stop(child);
    throw cause;
  }
}

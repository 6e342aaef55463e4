import { EXIT, Failure } from '../failure.ts';
import { hubConfig } from '../hub/start.ts';
import { localHubUrl } from './local-hub-url.ts';

const TIMEOUT_MS = 5_000;

/** `svc health`: for health checks of containers, which have no curl. */
export async function health(options: { readonly port?: number }): Promise<void> {
  const { host, port } = hubConfig(options);
  const url = `${localHubUrl(host, port)}/health`;
  const answer = await ask(url);
  process.stdout.write(`${await answer.text()}\n`);
  if (!answer.ok) throw new Failure(`the hub at ${url} is unhealthy`, { exitCode: EXIT.failed });
}

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`no response from the hub at ${url}: ${code ?? message}`, { exitCode: EXIT.failed });
  }
}

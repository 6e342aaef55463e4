import { Command } from 'commander';
import { EXIT, Failure } from '../failure.ts';
import { localHubUrl } from '../hub/local-hub-url.ts';
import { readPort } from '../serve/options.ts';

const HELP = `
Examples:
  svc health
  svc health --port 9000
  docker run --health-cmd 'svc health' …

Prints the response of GET /health of the hub on this machine, at the address in the environment of svc hub.

Exit codes:
  0  the hub is healthy
  1  no response within 5 seconds, or the database does not work
  2  bad input: an option, a variable`;

export function healthCommand(): Command {
  return new Command('health')
    .option('-p, --port <port>', 'the port of the hub (default: $SVC_PORT or 8787)', readPort)
    .addHelpText('after', HELP)
    .action(health);
}

const TIMEOUT_MS = 5_000;

/** For health checks of containers, which have no curl. */
async function health(options: { readonly port?: number }): Promise<void> {
  const { hubConfig } = await import('../hub/start.ts');
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

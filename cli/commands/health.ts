import { Command } from 'commander';
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
    .action(async (options: { readonly port?: number }) => {
      const { health } = await import('../health/health.ts');
      await health(options);
    });
}

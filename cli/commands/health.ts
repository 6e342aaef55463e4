import { Command } from 'commander';
import { readPort } from '../serve/options.ts';

const HELP = `
Examples:
  svc health
  svc health --port 9000
  docker run --health-cmd 'svc health' …

It asks the hub on this machine, where the environment of svc hub says that it listens, and prints what GET /health answers.

Exit codes:
  0  the hub works
  1  it does not answer within 5 seconds, or its store does not work
  2  bad input: an option, a variable`;

export function healthCommand(): Command {
  return new Command('health')
    .description('ask the hub on this machine whether it works')
    .option('-p, --port <port>', 'its port (default: $SVC_PORT or 8787)', readPort)
    .addHelpText('after', HELP)
    .action(async (options: { readonly port?: number }) => {
      const { health } = await import('../health/health.ts');
      await health(options);
    });
}

import { Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import { readHost, readPort } from '../serve/options.ts';
import type { UpOptions } from '../up/up.ts';

const HELP = `
Examples:
  svc up
  svc up --config deploy/svc.yaml
  svc up --port 0 --json        use a free port and print one JSON line for programs

On a terminal it offers to write a starter file where the config file does not exist.

With --json: {hub_url, base_url, username, sign_in_url, api_key, access_token, commands_run_as, commands_can_read_data,
hosted_runner}, printed when ready. hosted_runner is {available: true, capacity}, or {available: false, reason}.

Environment: as for svc hub, see svc hub --help.

SIGTERM and SIGINT stop svc up: running commands may finish. A second signal ends them at once.

Exit codes:
  0  stopped by a signal
  1  a failure at run time
  2  bad input: an option, the config file, a variable, the port`;

export function upCommand(): Command {
  return new Command('up')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('-p, --port <port>', 'the port, 0 for a free one (default: $SVC_PORT or 8787)', readPort)
    .option('--host <address>', 'the address to listen on (default: $SVC_HOST or 127.0.0.1)', readHost)
    .option('--run-as <user>', 'run commands as this user (default: the user of svc up); needs root')
    .option('--json', 'print one JSON line when ready')
    .addHelpText('after', HELP)
    .action(async (options: UpOptions) => {
      const { up } = await import('../up/up.ts');
      await up(options);
    });
}

import { Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import { readGrace, readHost, readHostName, readPort, type ServeOptions } from '../serve/options.ts';

const DEFAULT_GRACE_SEC = '30';

const HELP = `
Examples:
  svc serve
  svc serve --port 9000 --host 127.0.0.1       accept calls from this machine only
  svc serve --allow-host build.example.com     accept calls under this name too
  svc serve --mcp --host 127.0.0.1             tools for AI agents of this machine, at /mcp
  svc serve --port 0 --json                    use a free port and print it

Environment:
  SVC_PORT  the port, without --port

SIGTERM and SIGINT stop the server: it accepts nothing new, and running commands may finish within --grace.
A second signal ends them at once.

Exit codes:
  0  stopped by a signal
  1  a failure at run time
  2  bad input: an option, the config file, the port`;

export function serveCommand(): Command {
  return new Command('serve')
    .option('-p, --port <port>', 'the port, 0 for a free one (default: $SVC_PORT or 8080)', readPort)
    .option('--host <address>', 'the address to listen on', readHost, '0.0.0.0')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option(
      '--allow-host <name>',
      'another name under which the server answers; can be repeated',
      readHostName,
    )
    .option(
      '--allow-browser',
      'accept browsers over plain http from other machines; pages of other sites can then call too',
    )
    .option('--mcp', 'serve the endpoints as tools for AI agents at /mcp, too')
    .addOption(graceOption())
    .option('--json', 'print one JSON line when ready')
    .addHelpText('after', HELP)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('../serve/serve.ts');
      await serve(options);
    });
}

function graceOption(): Option {
  return new Option('--grace <seconds>', 'the time for commands to finish after a signal')
    .argParser(readGrace)
    .default(readGrace(DEFAULT_GRACE_SEC), DEFAULT_GRACE_SEC);
}

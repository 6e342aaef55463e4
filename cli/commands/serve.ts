import { Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import { readGrace, readHost, readHostName, readPort, type ServeOptions } from '../serve/options.ts';

const DEFAULT_GRACE_SEC = '30';

const HELP = `
Examples:
  svc serve
  svc serve --port 9000 --host 127.0.0.1       only this machine can call
  svc serve --allow-host build.example.com     it may be called by this name too
  svc serve --port 0 --json                    a free port; one line says which

Environment:
  SVC_PORT  the port, where --port does not say it

SIGTERM and SIGINT stop it: nothing new is accepted, and commands that run may finish within --grace.
A second signal ends them at once.

Exit codes:
  0  stopped by a signal
  1  something failed while it ran
  2  bad input: an option, the config file, the port`;

export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the endpoints of a config file over HTTP')
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
      'let browsers call over plain http from other machines; pages of other sites then can, too',
    )
    .addOption(graceOption())
    .option('--json', 'print one JSON line when ready')
    .addHelpText('after', HELP)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('../serve/serve.ts');
      await serve(options);
    });
}

function graceOption(): Option {
  return new Option('--grace <seconds>', 'how long commands may go on after a signal')
    .argParser(readGrace)
    .default(readGrace(DEFAULT_GRACE_SEC), DEFAULT_GRACE_SEC);
}

import { Command } from 'commander';
import { type CallOptions, readArgument } from '../call/options.ts';

const HELP = `
Examples:
  svc call hello name=Ada
  svc call ada/deploy env=prod --api-key svc_sk_...
  svc call https://svc.example.com/v1/ada/deploy
  svc call report --json | jq .data
  svc call release ref=main       a pipeline: each line starts with its step

Environment:
  SVC_BASE_URL  the URL of the service (default: http://127.0.0.1:8787)
  SVC_USERNAME  the owner of an endpoint given by name only
  SVC_API_KEY   the API key (default: the token of svc login, else the key of svc up on this machine)

Output is printed live and resumes after a broken connection. Ctrl-C stops printing; the execution continues, and svc logs
shows it again.

A terminal shows only text and colours: other escape sequences of the output are dropped, unless --raw is given.

Exit codes:
  0-255  the exit code of the command
  1      the command did not run, or has no exit code
  2      bad input`;

export function callCommand(): Command {
  return new Command('call')
    .description('call an endpoint or a pipeline and print its output')
    .argument('<endpoint>', 'a name, username/name or URL')
    .argument('[values...]', 'arguments as name=value', readArgument, [])
    .option('--api-key <key>', 'the API key (default: $SVC_API_KEY)')
    .option('--base-url <url>', 'the URL of the service (default: $SVC_BASE_URL)')
    .option('--raw', 'print all escape sequences on the terminal, not only colours')
    .option('--json', 'print the result as one JSON object at the end')
    .addHelpText('after', HELP)
    .action(async (endpoint: string, values: readonly [string, string][], options: CallOptions) => {
      const { call } = await import('../call/call.ts');
      await call(endpoint, values, options);
    });
}

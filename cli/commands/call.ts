import { Command } from 'commander';
import { type CallOptions, readArgument } from '../call/options.ts';

const HELP = `
Examples:
  svc call hello name=Ada
  svc call ada/deploy env=prod --api-key svc_sk_...
  svc call https://svc.example.com/v1/ada/deploy
  svc call report --json | jq .data
  svc call release ref=main       a pipeline: each line says of which step it is

Environment:
  SVC_BASE_URL  where the service is (default: http://127.0.0.1:8787)
  SVC_USERNAME  whose endpoint it is, where the name does not say it
  SVC_API_KEY   the key; without it, what svc login has kept for this service, else the key of the svc up of this machine

Output is printed as it comes, and goes on where it was when the connection breaks. Ctrl-C stops the printing, not the
execution: svc logs shows it again.

On a terminal only text and colours are shown: other escape sequences of the output are dropped, unless --raw is given.

Exit codes:
  0-255  that of the command
  1      it was not run, or has no exit code
  2      bad input`;

export function callCommand(): Command {
  return new Command('call')
    .description('call an endpoint or a pipeline and print what it prints')
    .argument('<endpoint>', 'its name, username/name or whole URL')
    .argument('[values...]', 'arguments as name=value', readArgument, [])
    .option('--api-key <key>', 'the API key (default: $SVC_API_KEY)')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--raw', 'let escape sequences through to the terminal, not only colours')
    .option('--json', 'print the result as one JSON object when it has ended')
    .addHelpText('after', HELP)
    .action(async (endpoint: string, values: readonly [string, string][], options: CallOptions) => {
      const { call } = await import('../call/call.ts');
      await call(endpoint, values, options);
    });
}

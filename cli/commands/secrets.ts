import { Command } from 'commander';
import type { GrantListOptions } from '../secrets/grants.ts';
import type { ServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc secrets grants                        list secret access, waiting requests first
  svc secrets grants --state waiting        list only waiting requests
  svc secrets allow DEPLOY_TOKEN build-1    allow agent build-1 to read the secret
  svc secrets allow DEPLOY_TOKEN deploy     allow the public or scheduled endpoint deploy to use the secret
  svc secrets refuse DEPLOY_TOKEN build-1   refuse access, also if it was allowed before

Environment:
  SVC_BASE_URL  the URL of the service (default: http://127.0.0.1:8787)

Sign in with svc login first: an API key is not enough. Only owners and admins can decide.

Exit codes:
  0  success
  1  the service did not respond
  2  bad input, or the service refused: no such agent or endpoint, or not signed in`;

const SEE = `
Examples, environment and exit codes: see svc secrets --help.`;

export function secretsCommand(): Command {
  const secrets = new Command('secrets')
    .description('manage access to secrets')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    secrets.command('grants', { isDefault: true }).description('list secret access, waiting requests first'),
  )
    .option('--state <state>', 'only those that are waiting, allowed, refused or granted')
    .action(async (options: GrantListOptions) => (await import('../secrets/grants.ts')).listGrants(options));
  for (const decision of ['allow', 'refuse'] as const)
    withService(secrets.command(decision).description(`${decision} the use of a secret`))
      .argument('<secret>', 'the name of the secret')
      .argument(
        '<agent|endpoint>',
        'the name of the agent or of the endpoint, or the id in the list of grants',
      )
      .action(async (secret: string, who: string, options: ServiceOptions) =>
        (await import('../secrets/decide.ts')).decideGrant(decision, { secret, who }, options),
      );
  return secrets;
}

function withService(command: Command): Command {
  return command
    .option('--base-url <url>', 'the URL of the service (default: $SVC_BASE_URL)')
    .option('--json', 'print one JSON object per grant')
    .addHelpText('after', SEE);
}

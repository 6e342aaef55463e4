import { Command } from 'commander';
import type { GrantListOptions } from '../secrets/grants.ts';
import type { ServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc secrets grants                        who uses which secret, and what waits for your decision
  svc secrets grants --state waiting        only what waits
  svc secrets allow DEPLOY_TOKEN build-1    the agent build-1 may have it from now on
  svc secrets allow DEPLOY_TOKEN deploy     the endpoint deploy, which is public or scheduled, may use it
  svc secrets refuse DEPLOY_TOKEN build-1   it may not, also if it could before

Environment:
  SVC_BASE_URL  where the service is (default: http://127.0.0.1:8787)

The credential is what svc login has kept for the service: an API key may not do this. Only owners and admins decide.

Exit codes:
  0  it was done
  1  the service did not answer
  2  bad input, or the service refused: nothing that uses the secret has this name, nobody is signed in`;

const SEE = `
Examples, environment and exit codes: see svc secrets --help.`;

export function secretsCommand(): Command {
  const secrets = new Command('secrets')
    .description('see and decide who may have which managed secret')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    secrets.command('grants', { isDefault: true }).description('list who uses which secret, and what waits'),
  )
    .option('--state <state>', 'only those that are waiting, allowed, refused or granted')
    .action(async (options: GrantListOptions) => (await import('../secrets/grants.ts')).listGrants(options));
  for (const decision of ['allow', 'refuse'] as const)
    withService(secrets.command(decision).description(`${decision} the use of a secret`))
      .argument('<secret>', 'its name')
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
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print one JSON object per grant')
    .addHelpText('after', SEE);
}

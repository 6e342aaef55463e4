import { Command } from 'commander';
import type { ServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc context                                        list contexts; the one in use has a *
  svc context add prod https://svc.example.com
  svc context use prod                               every later command is for this service
  svc logs --context test                            only this command is for another one
  svc context show                                   the service and the account that commands use
  svc context delete prod

A context is a name for the address of a hub. svc login keeps a token for each address, so one switch changes both.

Environment:
  SVC_CONTEXT      the context to use, instead of the one of svc context use
  SVC_BASE_URL     the URL of the service, instead of any context
  XDG_CONFIG_HOME  the folder of svc/contexts.json (default: ~/.config)

Exit codes:
  0  success
  1  the service did not respond
  2  bad input: no such context, or no address`;

const SEE = `
Examples, environment and exit codes: see svc context --help.`;

type Json = Pick<ServiceOptions, 'json'>;

export function contextCommand(): Command {
  const context = new Command('context')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  subcommand(context, 'list', 'list contexts', true).action(async (options: Json) => {
    const { listContexts } = await import('../service/print-contexts.ts');
    listContexts(options);
  });
  subcommand(context, 'add', 'add or replace a context')
    .argument('<name>', 'the name of the context')
    .argument('<url>', 'the URL of the service')
    .action(async (name: string, url: string, options: Json) => {
      const { addContext } = await import('../service/print-contexts.ts');
      addContext(name, url, options);
    });
  for (const change of ['use', 'delete'] as const)
    subcommand(context, change, change === 'use' ? 'use a context from now on' : 'delete a context')
      .argument('<name>', 'the name of the context')
      .action(async (name: string, options: Json) => {
        const { changeContext } = await import('../service/print-contexts.ts');
        changeContext(change, name, options);
      });
  subcommand(context, 'show', 'show the service and the account that commands use').action(
    async (options: Json) => {
      const { showContext } = await import('../service/print-contexts.ts');
      await showContext(options);
    },
  );
  return context;
}

function subcommand(context: Command, name: string, summary: string, isDefault = false): Command {
  return context
    .command(name, { isDefault })
    .description(summary)
    .option('--json', 'print JSON')
    .addHelpText('after', SEE);
}

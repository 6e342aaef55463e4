import type { Command } from 'commander';
import type { AdminOptions } from '../admin/options.ts';

/** Creates a subcommand of `svc admin`. */
type Subcommand = (name: string, description: string, examples: string) => Command;

/** `svc admin runner-token …`: the tokens of hosts of the hosted runner. */
export function runnerTokenCommand(subcommand: Subcommand): Command {
  const create = subcommand(
    'create',
    'create a runner token and print it once',
    '  svc admin runner-token create "rack 3"\n  svc admin runner-token create "rack 3" | svc agent --runner container --token-file -',
  )
    .argument('<name>', 'a name for the token')
    // The outer command takes --json, wherever it stands.
    .action(async (name: string, _options: AdminOptions, command: Command) => {
      const { createRunnerToken } = await import('../admin/hosted.ts');
      await createRunnerToken(name, command.optsWithGlobals());
    });
  const list = subcommand(
    'list',
    'list runner tokens and their hosts',
    '  svc admin runner-token list --json | jq -r .hosts[].hostname',
  ).action(async (_options: AdminOptions, command: Command) => {
    const { listRunnerTokens } = await import('../admin/hosted.ts');
    await listRunnerTokens(command.optsWithGlobals());
  });
  const revoke = subcommand(
    'revoke',
    'revoke a runner token',
    '  svc admin runner-token revoke 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c',
  )
    .argument('<id>', 'the id from the list')
    .action(async (id: string, _options: AdminOptions, command: Command) => {
      const { revokeRunnerToken } = await import('../admin/hosted.ts');
      await revokeRunnerToken(id, command.optsWithGlobals());
    });
  const examples = [
    '  svc admin runner-token create "rack 3"',
    '  svc admin runner-token list',
    '  svc admin runner-token revoke 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c',
    '',
    'A host connects with a runner token (svc agent --runner container) and runs the hosted executions of all workspaces.',
  ];
  const all = subcommand(
    'runner-token',
    'manage the tokens of hosts of the hosted runner',
    examples.join('\n'),
  );
  return all.addCommand(create).addCommand(list).addCommand(revoke);
}

/** `svc admin hosted-network allow|deny <username>`. */
export function hostedNetwork(subcommand: Subcommand): Command {
  const examples = [
    '  svc admin hosted-network allow ada',
    '  svc admin hosted-network deny ada',
    '',
    'Hosted containers have no network unless their workspace is allowed. The setting applies to new executions.',
  ];
  const all = subcommand('hosted-network', 'allow or deny hosted executions a network', examples.join('\n'));
  for (const [name, isAllowed] of [
    ['allow', true],
    ['deny', false],
  ] as const)
    all.addCommand(
      subcommand(name, `${name} a workspace the network`, `  svc admin hosted-network ${name} ada`)
        .argument('<username>', 'the username in its URLs')
        .action(async (username: string, _options: AdminOptions, command: Command) => {
          const { setHostedNetwork } = await import('../admin/hosted.ts');
          await setHostedNetwork(username, isAllowed, command.optsWithGlobals());
        }),
    );
  return all;
}

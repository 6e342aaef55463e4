import type { Program } from '@svc/core/endpoint/command/program';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { Ports } from '../ports.ts';
import { type CommandSecrets, commandSecrets, openSecrets } from '../secret/order-secrets.ts';

/**
 * What a hosted command has: all managed secrets of its workspace that are for the hosted runner, whether it names them or
 * not; with `agents`, those that have `hosted` in it (decision 13).
 *
 * @throws `secret_not_set` or `secret_not_allowed` for one that the command names and cannot have
 */
export async function hostedSecrets(
  ports: Pick<Ports, 'secrets' | 'vault'>,
  workspaceId: string,
  program: Pick<Program, 'secrets'>,
): Promise<CommandSecrets['values']> {
  const named = await commandSecrets(ports, workspaceId, program);
  const refusal = named.refusalFor(HOSTED_AGENT);
  if (refusal !== undefined) throw refusal;
  const all = await ports.secrets.list(workspaceId);
  return openSecrets(
    ports.vault,
    all.filter(({ agents }) => mayUseSecret(agents, HOSTED_AGENT)),
  );
}

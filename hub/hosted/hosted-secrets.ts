import type { Program } from '@svc/core/endpoint/program';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { SecretTerms } from '@svc/core/secret/grant';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { EndpointVersion, RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Vault } from '../platform/world.ts';
import { type CommandSecrets, commandSecrets, openSecrets } from '../secret-grants/order-secrets.ts';
import { exposureRefusal, registrantRefusal, storedHolder, termsOf } from '../secret-grants/secret-terms.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

type HostedSecretDeps = {
  readonly secrets: Secrets;
  readonly vault: Vault;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
};

/** A command for the hosted runner, with the version of its endpoint. */
export interface HostedUse {
  readonly workspaceId: string;
  readonly program: Pick<Program, 'secrets'>;
  readonly version: Pick<EndpointVersion, 'source' | 'registrant'>;
  /** The current endpoint; undefined when it was deleted. */
  readonly user: RegisteredEndpoint | undefined;
}

/**
 * The secrets of a hosted command: all managed secrets of its workspace for the hosted runner, named or not; a secret with `agents`
 * must list `hosted` (decision 13, managed secrets). A command from a file gets only those that the file's agent may have, because
 * the agent writes the command and could print them (decision 58, agent tokens and secret grants).
 *
 * @throws `secret_not_set` or `secret_not_allowed` for a named secret that the command cannot have
 */
export async function hostedSecrets(
  deps: HostedSecretDeps,
  use: HostedUse,
): Promise<CommandSecrets['values']> {
  const named = await commandSecrets(deps, use);
  const refusal = named.refusalForName(HOSTED_AGENT);
  if (refusal !== undefined) throw refusal;
  const [all, decisions] = await Promise.all([
    deps.secrets.list(use.workspaceId),
    deps.secrets.decisions(use.workspaceId),
  ]);
  const forHosted = all.filter(({ agents }) => mayUseSecret(agents, HOSTED_AGENT));
  if (forHosted.length === 0) return {};
  const refusalFor = await refusalsOf(deps, use);
  const granted = forHosted.filter((secret) => {
    const refused = refusalFor(termsOf(secret, decisions));
    if (refused !== undefined && use.program.secrets.includes(secret.name)) throw refused;
    return refused === undefined;
  });
  return openSecrets(deps.vault, granted);
}

/** Why the file of the command may not use a secret. */
async function refusalsOf(
  { credentials, knownAgents }: HostedSecretDeps,
  { workspaceId, version: { source, registrant }, user }: HostedUse,
) {
  const isOfFile = source === 'config' && registrant !== undefined;
  const [tokens, owned] = isOfFile
    ? await Promise.all([credentials.agentTokensOf(workspaceId), knownAgents.owned(workspaceId)])
    : [[], []];
  const holder = isOfFile ? storedHolder(registrant, tokens, owned) : undefined;
  return (secret: SecretTerms) =>
    (user && exposureRefusal(secret, user)) ?? (isOfFile ? registrantRefusal(secret, holder) : undefined);
}

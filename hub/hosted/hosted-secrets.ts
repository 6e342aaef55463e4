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

type HostedSecretPorts = {
  readonly secrets: Secrets;
  readonly vault: Vault;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
};

/** A command for the hosted runner, and the version of its endpoint that it stands in. */
export interface HostedUse {
  readonly workspaceId: string;
  readonly program: Pick<Program, 'secrets'>;
  readonly version: Pick<EndpointVersion, 'source' | 'registrant'>;
  /** As it is now; undefined when it was deleted. */
  readonly user: RegisteredEndpoint | undefined;
}

/**
 * What a hosted command has: all managed secrets of its workspace that are for the hosted runner, whether it names them or
 * not; with `agents`, those that have `hosted` in it (decision 13). The command of a file has only those that the agent of the
 * file may have: its file is sent whole, so it could print them (decision 58, secret grants).
 *
 * @throws `secret_not_set` or `secret_not_allowed` for one that the command names and cannot have
 */
export async function hostedSecrets(
  ports: HostedSecretPorts,
  use: HostedUse,
): Promise<CommandSecrets['values']> {
  const named = await commandSecrets(ports, use);
  const refusal = named.refusalForName(HOSTED_AGENT);
  if (refusal !== undefined) throw refusal;
  const [all, decisions] = await Promise.all([
    ports.secrets.list(use.workspaceId),
    ports.secrets.decisions(use.workspaceId),
  ]);
  const forHosted = all.filter(({ agents }) => mayUseSecret(agents, HOSTED_AGENT));
  if (forHosted.length === 0) return {};
  const refusalFor = await refusalsOf(ports, use);
  const granted = forHosted.filter((secret) => {
    const refused = refusalFor(termsOf(secret, decisions));
    if (refused !== undefined && use.program.secrets.includes(secret.name)) throw refused;
    return refused === undefined;
  });
  return openSecrets(ports.vault, granted);
}

/** Why the command may not have a secret, because of the file that it comes from. */
async function refusalsOf(
  { credentials, knownAgents }: HostedSecretPorts,
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

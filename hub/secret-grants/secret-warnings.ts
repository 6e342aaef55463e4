import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { SecretTerms } from '@svc/core/secret/grant';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { exposureRefusal, senderRefusal, termsOf } from './secret-terms.ts';

/**
 * Warnings for an agent about the secrets of its commands: a secret is not set, or belongs to other agents. Calls of these
 * endpoints are refused until that changes (decision 13, managed secrets).
 */
export async function secretWarnings(
  { secrets }: { readonly secrets: Secrets },
  agent: Registrant,
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  if (registered.every(({ endpoint }) => endpoint.program.secrets.length === 0)) return [];
  const [list, decisions] = await Promise.all([
    secrets.list(agent.workspaceId),
    secrets.decisions(agent.workspaceId),
  ]);
  const all = new Map(list.map((secret) => [secret.name, termsOf(secret, decisions)]));
  return registered.flatMap((user) =>
    user.endpoint.program.secrets.flatMap((name) => {
      const { slug } = user.endpoint;
      const secret = all.get(name);
      if (secret === undefined) return [`"${slug}" names the secret "${name}", which is not set`];
      return refusalsOf(secret, user, agent);
    }),
  );
}

type Registrant = Omit<AgentProcess, 'running'>;

/** The warnings by agent name, by token and process, and by exposure of the file. */
function refusalsOf(secret: SecretTerms, user: RegisteredEndpoint, agent: Registrant): string[] {
  const { slug, agentName = agent.name } = user.endpoint;
  if (!mayUseSecret(secret.agents, agentName))
    return [`"${slug}" names the secret "${secret.name}", which is not for the agent "${agentName}"`];
  // An agent with another name runs only commands of its own file; on the hosted runner this file counts.
  const isSent = agentName === agent.name || agentName === HOSTED_AGENT;
  const refusals = [
    isSent ? senderRefusal(secret, agent, agentName) : undefined,
    exposureRefusal(secret, user),
  ];
  return refusals.flatMap((refusal) => (refusal === undefined ? [] : [`"${slug}" ${refusal.message}`]));
}

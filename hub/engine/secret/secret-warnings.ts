import { mayUseSecret } from '@svc/core/secret/secret';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Ports } from '../ports.ts';

/**
 * What an agent is told of the secrets that its commands name: that one is not set, or is for other agents. Their calls are
 * refused until that has changed (decision 13).
 */
export async function secretWarnings(
  { secrets }: Pick<Ports, 'secrets'>,
  agent: { readonly workspaceId: string; readonly name: string },
  registered: readonly RegisteredEndpoint[],
): Promise<string[]> {
  if (registered.every(({ endpoint }) => endpoint.program.secrets.length === 0)) return [];
  const all = new Map((await secrets.list(agent.workspaceId)).map((secret) => [secret.name, secret]));
  return registered.flatMap(({ endpoint: { slug, agentName = agent.name, program } }) =>
    program.secrets.flatMap((name) => {
      const secret = all.get(name);
      if (secret === undefined) return [`"${slug}" names the secret "${name}", which is not set`];
      if (mayUseSecret(secret.agents, agentName)) return [];
      return [`"${slug}" names the secret "${name}", which is not for the agent "${agentName}"`];
    }),
  );
}

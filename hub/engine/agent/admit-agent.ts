import { tokenKind } from '@svc/core/token/token';
import { hashToken } from '../account/hash-token.ts';
import type { AgentToken, Workspace } from '../ports/accounts.ts';
import type { Ports } from '../ports.ts';

/** The agent token of an upgrade request, and the workspace that it acts in. */
export interface Admitted {
  readonly token: Pick<AgentToken, 'id' | 'workspaceId' | 'agentName' | 'hash'>;
  readonly username: Workspace['username'];
}

/** Undefined for every token that is not a living agent token. */
export async function admitAgent(
  { credentials, accounts }: Pick<Ports, 'credentials' | 'accounts'>,
  token: string | undefined,
): Promise<Admitted | undefined> {
  if (token === undefined || tokenKind(token) !== 'agent_token') return undefined;
  const found = await credentials.agentTokenByHash(hashToken(token));
  if (found === undefined || found.revokedAtMs !== undefined) return undefined;
  const workspace = await accounts.workspaceById(found.workspaceId);
  if (workspace === undefined) return undefined;
  // No more than that stays in memory as long as the agent is here.
  const { id, workspaceId, agentName, hash } = found;
  return { token: { id, workspaceId, agentName, hash }, username: workspace.username };
}

/** Whether the token lives when its hello comes, for which nobody has to hurry: until then it is in no list of connections. */
export async function isStillAdmitted(
  { credentials }: Pick<Ports, 'credentials'>,
  { token: { hash } }: Admitted,
): Promise<boolean> {
  const found = await credentials.agentTokenByHash(hash);
  return found !== undefined && found.revokedAtMs === undefined;
}

const HOSTED = 'hosted';

/**
 * Whether the token may use the agent name; otherwise why not, in a sentence (decision 28).
 *
 * `boundNames` are those that other tokens of the workspace have for themselves.
 */
export function nameRefusal(
  token: Pick<AgentToken, 'agentName'>,
  name: string,
  boundNames: readonly string[],
): string | undefined {
  if (token.agentName !== undefined) {
    return token.agentName === name
      ? undefined
      : `this agent token is for the agent "${token.agentName}" only`;
  }
  if (name === HOSTED) return `"${HOSTED}" is the cloud runner: choose another name with --name`;
  return boundNames.includes(name)
    ? `"${name}" belongs to another agent token: choose another name with --name`
    : undefined;
}

/** The names that agent tokens of the workspace are bound to. */
export async function boundAgentNames(
  { credentials }: Pick<Ports, 'credentials'>,
  workspaceId: string,
): Promise<string[]> {
  const tokens = await credentials.agentTokensOf(workspaceId);
  return tokens.flatMap(({ agentName, revokedAtMs }) => (revokedAtMs === undefined && agentName) || []);
}

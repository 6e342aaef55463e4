import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { tokenKind } from '@svc/core/token/token';
import type { AgentToken, Workspace } from '../accounts/account-ports.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import { isHost, NO_WORKSPACE } from './host-address.ts';

/** The token of an upgrade request and its workspace; the token of a host has none (decision 49, the hosted runner). */
export interface Admitted {
  readonly token: Pick<AgentToken, 'id' | 'workspaceId' | 'hash'>;
  readonly username: Workspace['username'];
  /** The address of the connection. */
  readonly address?: string | undefined;
}

export type AdmitDeps = {
  readonly credentials: Credentials;
  readonly accounts: Accounts;
  readonly runnerTokens: RunnerTokens;
};

/** Undefined unless the token is a valid token of an agent or of a host of the hosted runner. */
export async function admitAgent(deps: AdmitDeps, token: string | undefined): Promise<Admitted | undefined> {
  const kind = token === undefined ? undefined : tokenKind(token);
  if (token !== undefined && kind === 'agent_token') return await admitOwn(deps, hashToken(token));
  if (token !== undefined && kind === 'runner_token') return await admitHost(deps, hashToken(token));
  return undefined;
}

async function admitOwn(
  { credentials, accounts }: { readonly credentials: Credentials; readonly accounts: Accounts },
  tokenHash: string,
): Promise<Admitted | undefined> {
  const found = await credentials.agentTokenByHash(tokenHash);
  if (found === undefined || found.revokedAtMs !== undefined) return undefined;
  const workspace = await accounts.workspaceById(found.workspaceId);
  if (workspace === undefined) return undefined;
  // Only these fields stay in memory while the agent is connected.
  const { id, workspaceId, hash } = found;
  return { token: { id, workspaceId, hash }, username: workspace.username };
}

async function admitHost(
  { runnerTokens }: { readonly runnerTokens: RunnerTokens },
  tokenHash: string,
): Promise<Admitted | undefined> {
  const found = await runnerTokens.byHash(tokenHash);
  if (found === undefined || found.revokedAtMs !== undefined) return undefined;
  const { id, hash } = found;
  return { token: { id, workspaceId: NO_WORKSPACE, hash }, username: undefined };
}

/** Whether the token is still valid at its hello. Before the hello no revocation reaches the connection, so it is checked again. */
export async function isStillAdmitted(
  { credentials, runnerTokens }: { readonly credentials: Credentials; readonly runnerTokens: RunnerTokens },
  { token }: Admitted,
): Promise<boolean> {
  const { hash } = token;
  const found = isHost(token) ? await runnerTokens.byHash(hash) : await credentials.agentTokenByHash(hash);
  return found !== undefined && found.revokedAtMs === undefined;
}

/**
 * Why the token may not use the agent name, in a sentence; undefined: it may (decision 28, the connection of an agent).
 *
 * `boundNames` are bound to other tokens of the workspace.
 */
export function nameRefusal(
  token: Pick<AgentToken, 'agentNames'>,
  name: string,
  boundNames: readonly string[],
): string | undefined {
  if (name === HOSTED_AGENT) return `"${HOSTED_AGENT}" is the cloud runner: choose another name with --name`;
  const { agentNames } = token;
  if (agentNames.includes(name)) return undefined;
  if (agentNames.length > 0)
    return (
      `this agent token is for ${listOf(agentNames)} only, not for "${name}": ` +
      `choose that name with --name, or make a token for "${name}"`
    );
  return boundNames.includes(name)
    ? `"${name}" belongs to another agent token: choose another name with --name`
    : undefined;
}

function listOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`).join(', ');
  return names.length === 1 ? `the agent ${quoted}` : `the agents ${quoted}`;
}

/** The names that valid agent tokens of the workspace are bound to. */
export async function boundAgentNames(
  { credentials }: { readonly credentials: Credentials },
  workspaceId: string,
): Promise<string[]> {
  const tokens = await credentials.agentTokensOf(workspaceId);
  return tokens.flatMap(({ agentNames, revokedAtMs }) => (revokedAtMs === undefined ? agentNames : []));
}

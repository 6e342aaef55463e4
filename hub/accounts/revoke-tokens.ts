import type { AuditSource } from '@svc/core/audit/entry';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { RunnerTokens } from '../hosted/store/runner-tokens.ts';
import type { Clock } from '../platform/world.ts';
import type { AccessToken, AgentToken, ApiKey, Member } from './account-ports.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Credentials } from './store/credentials.ts';

type RevokeDeps = { readonly credentials: Credentials; readonly clock: Clock };

/** Revokes an API key and ends the streams opened with it; false when the key does not exist. */
export async function revokeApiKey(
  { credentials, clock, openStreams }: RevokeDeps & { readonly openStreams: Pick<OpenStreams, 'recheck'> },
  { workspaceId, id, name, last4 }: ApiKey,
  by: AuditSource,
): Promise<boolean> {
  const isRevoked = await credentials.revokeApiKey(workspaceId, id, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'api_key.revoked',
    target: { kind: 'api_key', id, name },
    details: { last4 },
  });
  await openStreams.recheck();
  return isRevoked;
}

/** Allows for clock differences between hubs and for a busy hub. */
const REVOKED_OF_LATE_MS = 5 * 60 * 1000;

/** Closes connections whose tokens another hub or an operator has revoked. The hub calls it with every heartbeat. */
export async function disconnectRevoked({
  credentials,
  runnerTokens,
  agents,
  clock,
}: RevokeDeps & { readonly agents: AgentDirectory; readonly runnerTokens: RunnerTokens }): Promise<void> {
  const sinceMs = clock.nowMs() - REVOKED_OF_LATE_MS;
  const ofAgents = await credentials.agentTokensRevokedSince(sinceMs);
  const ofHosts = await runnerTokens.revokedSince(sinceMs);
  for (const id of [...ofAgents, ...ofHosts]) agents.disconnectToken(id);
}

/** Revokes an agent token and closes its connections; false when the token does not exist. */
export async function revokeAgentToken(
  { credentials, clock, agents }: RevokeDeps & { readonly agents: AgentDirectory },
  { workspaceId, id, name, last4 }: AgentToken,
  by: AuditSource,
): Promise<boolean> {
  const isRevoked = await credentials.revokeAgentToken(workspaceId, id, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'agent_token.revoked',
    target: { kind: 'agent_token', id, name },
    details: { last4 },
  });
  if (isRevoked) agents.disconnectToken(id);
  return isRevoked;
}

/** Revokes a personal access token and ends its streams. `home` is its user in the workspace whose audit log records it. */
export async function revokeAccessToken(
  { credentials, clock, openStreams }: RevokeDeps & { readonly openStreams: Pick<OpenStreams, 'recheck'> },
  { id, name, last4, workspaceId }: AccessToken,
  home: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endAccessToken(id, {
    ...by,
    workspaceId: workspaceId ?? home.workspaceId,
    atMs: clock.nowMs(),
    action: 'access_token.revoked',
    target: { kind: 'access_token', id, name: name ?? `…${last4}` },
    details: { last4 },
  });
  await openStreams.recheck();
}

type SignOutDeps = { readonly credentials: Credentials; readonly clock: Clock } & {
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
};

/** Ends a session or personal access token and its streams. `member` is its user in their own workspace. */
export async function signOut(
  { credentials, clock, openStreams }: SignOutDeps,
  { id, kind, workspaceId }: AccessToken,
  member: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endAccessToken(id, {
    ...by,
    workspaceId: workspaceId ?? member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.signed_out',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: { of: kind },
  });
  await openStreams.recheck();
}

/** Ends the sessions of a user except one, pending ones too, and their streams. `member` is the user in their own workspace. */
export async function endOtherSessions(
  { credentials, clock, openStreams }: SignOutDeps,
  { id }: AccessToken,
  member: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endSessionsExcept(member.userId, id, {
    ...by,
    workspaceId: member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.other_sessions_ended',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: {},
  });
  await openStreams.recheck();
}

/** Ends all sessions and access tokens of a user (decision 44, sign-in). `member` is the user in their own workspace. */
export async function signOutEverywhere(
  { credentials, clock, openStreams }: SignOutDeps,
  member: Member,
  by: AuditSource,
): Promise<void> {
  await credentials.endAllOfUser(member.userId, {
    ...by,
    workspaceId: member.workspaceId,
    atMs: clock.nowMs(),
    action: 'account.signed_out_everywhere',
    target: { kind: 'account', id: member.userId, name: member.email },
    details: {},
  });
  await openStreams.recheck();
}

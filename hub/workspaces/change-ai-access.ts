import type { AuditSource } from '@svc/core/audit/entry';
import { type AiAccess, DEFAULT_AI_ACCESS } from '@svc/core/mcp/ai-access';
import { refuse } from '@svc/core/refusal';
import type { AccessToken, Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock } from '../platform/world.ts';

export interface AiAccessDeps {
  readonly accounts: Pick<Accounts, 'setAiAccess'>;
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, 'hasAgentToken'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
}

export interface AiAccessChange {
  readonly workspace: Workspace;
  readonly access: AiAccess;
  /** The credential of the request. */
  readonly credential: Pick<AccessToken, 'kind' | 'userId'>;
  readonly by: AuditSource;
}

/**
 * Changes what AI agents may do in a workspace (decision 79, access of AI agents). It is in effect when this returns: every reachable
 * hub has read it, and has ended the calls that it no longer allows. Their executions continue.
 *
 * Throws `forbidden` for an access token of a user of whom an agent has any: the agent would set its own limits.
 */
export async function changeAiAccess(
  { accounts, clock, credentials, openStreams }: AiAccessDeps,
  { workspace, access, credential, by }: AiAccessChange,
): Promise<void> {
  if (credential.kind !== 'session' && (await credentials.hasAgentToken(credential.userId)))
    throw refuse('forbidden', 'an AI agent uses an access token of yours: change this in a browser');
  const before = workspace.aiAccess ?? DEFAULT_AI_ACCESS;
  if (access === before) return;
  await accounts.setAiAccess(workspace.id, access, {
    ...by,
    workspaceId: workspace.id,
    atMs: clock.nowMs(),
    action: 'workspace.ai_access_changed',
    target: { kind: 'workspace', id: workspace.id, name: workspace.username ?? '' },
    details: { from: before, to: access },
  });
  await openStreams.recheck();
}

import type { AuditSource } from '@svc/core/audit/entry';
import { type AiAccess, DEFAULT_AI_ACCESS } from '@svc/core/mcp/ai-access';
import { refuse } from '@svc/core/refusal';
import type { AccessToken } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Clock } from '../platform/world.ts';

export interface AiAccessDeps {
  readonly accounts: Pick<Accounts, 'workspaceById' | 'changeAiAccess'>;
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, 'hasAgentToken'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
}

export interface AiAccessChange {
  readonly workspaceId: string;
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
export async function changeAiAccess(deps: AiAccessDeps, change: AiAccessChange): Promise<void> {
  const { credential } = change;
  if (credential.kind !== 'session' && (await deps.credentials.hasAgentToken(credential.userId)))
    throw refuse('forbidden', 'an AI agent uses an access token of yours: change this in a browser');
  while (!(await tryToChange(deps, change)));
  await deps.openStreams.recheck();
}

/** False if somebody else changed the access between the read and the write. */
async function tryToChange(
  { accounts, clock }: AiAccessDeps,
  { workspaceId, access, by }: AiAccessChange,
): Promise<boolean> {
  // The workspace of the request comes from a cache, which may be behind.
  const workspace = await accounts.workspaceById(workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted meanwhile');
  const from = workspace.aiAccess ?? DEFAULT_AI_ACCESS;
  if (access === from) return true;
  return await accounts.changeAiAccess(
    { workspaceId, from, to: access },
    {
      ...by,
      workspaceId,
      atMs: clock.nowMs(),
      action: 'workspace.ai_access_changed',
      target: { kind: 'workspace', id: workspaceId, name: workspace.username ?? '' },
      details: { from, to: access },
    },
  );
}

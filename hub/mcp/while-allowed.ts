import type { Caller } from '@svc/core/execution/access';
import { refusedByAccess } from '@svc/core/mcp/ai-access';
import type { McpTool } from '@svc/core/mcp/tool';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { REVOKED } from '../http/watch-caller.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Visit } from './visit.ts';

export interface WhileAllowedDeps {
  readonly lookups: Pick<CallLookups, 'workspaceById'>;
  readonly openStreams: Pick<OpenStreams, 'open'>;
}

type UsedTool = Pick<McpTool, 'annotations'>;

export interface AllowedCall {
  /** Aborts, with a `Refusal` as the reason, when the agent may no longer have the answer. */
  readonly revoked: AbortSignal;
  /** Throws `forbidden` for a tool that the workspace does not allow to agents, and ends the call when that changes. */
  readonly useTool: (tool: UsedTool) => void;
}

/**
 * Sends no result when the key became invalid during the call (decision 44, sign-in), or when the workspace has taken the access
 * away (decision 79, access of AI agents), however long the call waited. Its execution continues.
 */
export async function whileAllowed<Answer>(
  deps: WhileAllowedDeps,
  visit: Visit,
  call: (allowed: AllowedCall) => Promise<Answer>,
): Promise<Answer> {
  const revoked = new AbortController();
  let used: UsedTool | undefined;
  let refusal: Refusal | undefined;
  const isAllowed = async () => {
    refusal = await refusalNow(deps, visit, used);
    return refusal === undefined;
  };
  const unwatch = deps.openStreams.open(isAllowed, () => revoked.abort(refusal));
  try {
    // Read after the call is watched, so no change is missed.
    const { aiAccess } = (await deps.lookups.workspaceById(visit.workspace.id)) ?? visit.workspace;
    const useTool = (tool?: UsedTool) => {
      used = tool;
      const why = refusedByAccess(aiAccess, tool);
      if (why !== undefined) throw refuse('forbidden', why);
    };
    useTool();
    const answer = await call({ revoked: revoked.signal, useTool });
    if (revoked.signal.aborted) throw revoked.signal.reason;
    return answer;
  } finally {
    unwatch();
  }
}

/** Why the agent may no longer have the answer; undefined: it may. */
export async function refusalNow(
  { lookups }: WhileAllowedDeps,
  { caller, identifyAgain, workspace }: Visit,
  used: UsedTool | undefined,
): Promise<Refusal | undefined> {
  const again = await identifyAgain();
  if (!isSame(again, caller)) return refuse('unauthorized', REVOKED);
  const now = await lookups.workspaceById(workspace.id);
  const why = refusedByAccess(now?.aiAccess, used);
  return why === undefined ? undefined : refuse('forbidden', `${why}; what it has started continues`);
}

function isSame(again: Caller, { kind, id, workspaceId, rights }: Visit['caller']): boolean {
  if (again.kind === 'anonymous' || again.rights?.text !== rights?.text) return false;
  return again.kind === kind && again.id === id && again.workspaceId === workspaceId;
}

import { UNFINISHED_STATUS } from '@svc/core/api/fail-status';
import type { Approval } from '@svc/core/approval/approval';
import type { LinkTokens } from '../accounts/link-token.ts';
import { approveUrl } from '../approvals/approval-events.ts';
import { objectResponse } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';

export interface AnswerPendingDeps {
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly settings: Settings;
}

/** The 202 of a call that is pending approval (reference 4.5); its caller polls the URL in `Location`. */
export function pendingResponse(
  deps: AnswerPendingDeps,
  approval: Approval,
  readToken: string | undefined,
  failStatus = false,
): Response {
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return objectResponse(pendingBody(deps, approval), failStatus ? UNFINISHED_STATUS : 202, {
    'X-Execution-Id': approval.executionId,
    Location: `${deps.settings.baseUrl}/approvals/${approval.id}${query}`,
  });
}

export function pendingBody(deps: AnswerPendingDeps, approval: Approval) {
  const mins = Math.max(0, Math.ceil((approval.expiresAtMs - deps.clock.nowMs()) / 60_000));
  const within = mins === 1 ? 'a minute' : `${mins} minutes`;
  return {
    status: 'pending_approval' as const,
    execution_id: approval.executionId,
    approval_id: approval.id,
    approve_url: approveUrl(deps, approval),
    message: `"${approval.slug}" waits for approval: approve_url shows it to a person, who decides within ${within}`,
    expires_in_mins: mins,
  };
}

import type { Approval } from '@svc/core/approval/approval';
import { approveUrl } from '../../engine/approval/tell-approval.ts';
import type { HubContext } from '../context.ts';
import { objectResponse } from '../json-response.ts';

/** The 202 of a call that waits for a person (reference 4.5); `Location` is where its caller asks what came of it. */
export function heldResponse(
  context: Pick<HubContext, 'settings' | 'linkTokens' | 'clock'>,
  approval: Approval,
  readToken: string | undefined,
): Response {
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return objectResponse(heldBody(context, approval), 202, {
    'X-Execution-Id': approval.executionId,
    Location: `${context.settings.baseUrl}/approvals/${approval.id}${query}`,
  });
}

export function heldBody(context: Pick<HubContext, 'settings' | 'linkTokens' | 'clock'>, approval: Approval) {
  const mins = Math.max(0, Math.ceil((approval.expiresAtMs - context.clock.nowMs()) / 60_000));
  const within = mins === 1 ? 'a minute' : `${mins} minutes`;
  return {
    status: 'pending_approval' as const,
    approval_id: approval.id,
    approve_url: approveUrl(context, approval),
    message: `"${approval.slug}" waits for approval: approve_url shows it to a person, who decides within ${within}`,
    expires_in_mins: mins,
  };
}

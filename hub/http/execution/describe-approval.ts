import { approvalState, isPending } from '@svc/core/approval/approval';
import { commandText, shownCommand, shownValues } from '@svc/core/approval/shown-command';
import type { HeldCallRecord } from '../../engine/approval/held-call.ts';
import { approveUrl } from '../../engine/approval/tell-approval.ts';
import type { HubContext } from '../context.ts';
import { time } from '../time.ts';
import { executionLinks } from './links.ts';

/** An approval as it is shown to its caller and to members. */
export function describeApproval(context: HubContext, held: HeldCallRecord, readToken?: string) {
  const { approval, execution, endpoint, values } = held;
  const nowMs = context.clock.nowMs();
  const { id, closing, expiresAtMs } = approval;
  const state = approvalState(approval, nowMs);
  const links = executionLinks(context.settings.baseUrl, execution.id, readToken);
  return {
    approval_id: id,
    status: state === 'pending' ? ('pending_approval' as const) : state,
    reason: closing?.reason,
    endpoint: approval.slug,
    command: endpoint === undefined ? null : commandText(shownCommand(endpoint, values)),
    values: endpoint === undefined ? [] : shownValues(endpoint, values).map(describeValue),
    agent_name: approval.agentName,
    requested_by: approval.requestedBy,
    created_at: time(approval.createdAtMs),
    expires_at: time(expiresAtMs),
    expires_in_s: state === 'pending' ? Math.ceil((expiresAtMs - nowMs) / 1000) : 0,
    decided_by: closing?.by.name ?? null,
    decided_at: time(closing?.atMs),
    comment: closing?.comment ?? null,
    approve_url: isPending(approval, nowMs) ? approveUrl(context, approval) : undefined,
    execution_id: execution.id,
    execution_status: execution.state,
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
  };
}

function describeValue(part: ReturnType<typeof shownValues>[number]) {
  const { name } = part;
  if (part.kind === 'value') return { name, value: part.text };
  return part.kind === 'secret' ? { name, value: null, secret: true as const } : { name, value: null };
}

import { approvalState, isPending } from '@svc/core/approval/approval';
import {
  commandText,
  type RecordedValues,
  shownCommand,
  shownValues,
} from '@svc/core/approval/shown-command';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { codeNotices } from '@svc/core/endpoint/explain';
import { approvedFiles } from '@svc/core/execution/received-file';
import type { LinkTokens } from '../accounts/link-token.ts';
import { executionLinks } from '../executions/http/links.ts';
import { time } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { approveUrl } from './approval-events.ts';
import { plainValues } from './check-signature.ts';
import { type PendingCallRecord, withFileNames } from './pending-call.ts';

export interface DescribeApprovalDeps {
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly settings: Settings;
}

/** An approval as it is shown to its caller and to members. */
export function describeApproval(deps: DescribeApprovalDeps, call: PendingCallRecord, readToken?: string) {
  const { approval, execution, endpoint } = call;
  const values = withFileNames(call);
  const nowMs = deps.clock.nowMs();
  const { id, closing, expiresAtMs } = approval;
  const state = approvalState(approval, nowMs);
  const links = executionLinks(deps.settings.baseUrl, execution.id, readToken);
  return {
    approval_id: id,
    status: state === 'pending' ? ('pending_approval' as const) : state,
    reason: closing?.reason,
    endpoint: approval.slug,
    command: endpoint === undefined ? null : commandText(shownCommand(endpoint, values)),
    parts: endpoint === undefined ? null : shownCommand(endpoint, values),
    values: endpoint === undefined ? [] : describeValues(endpoint, values),
    files: execution.files?.map((file) => ({ ...file })),
    agent_name: approval.agentName,
    endpoint_version: execution.endpointVersion ?? null,
    timeout_s: execution.timeoutSec,
    requested_by: approval.requestedBy,
    created_at: time(approval.createdAtMs),
    expires_at: time(expiresAtMs),
    expires_in_s: state === 'pending' ? Math.ceil((expiresAtMs - nowMs) / 1000) : 0,
    decided_by: closing?.by.name ?? null,
    decided_at: time(closing?.atMs),
    comment: closing?.comment ?? null,
    approve_url: isPending(approval, nowMs) ? approveUrl(deps, approval) : undefined,
    to_sign: toSign(call),
    needs_passkey: endpoint?.approval === 'passkey',
    execution_id: execution.id,
    execution_status: execution.state,
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
  };
}

/** Only for endpoints whose approvals have to be signed (decision 60, the file is a floor). */
function toSign({ approval, execution, endpoint, values }: PendingCallRecord) {
  if (endpoint?.approverKeys === undefined) return null;
  return {
    definition_hash: execution.definitionHash,
    args: plainValues(values),
    ...(execution.files && { files: approvedFiles(execution.files) }),
    agent: approval.agentName,
    requested_by: approval.requestedBy,
    keys: [...endpoint.approverKeys],
  };
}

function describeValues(endpoint: Endpoint, values: RecordedValues) {
  const notices = new Map(codeNotices(endpoint).map(({ argument, message }) => [argument, message]));
  return shownValues(endpoint, values).map((part) => ({
    ...describeValue(part),
    notice: notices.get(part.name),
  }));
}

function describeValue(part: ReturnType<typeof shownValues>[number]) {
  const { name } = part;
  if (part.kind === 'value') return { name, value: part.text };
  return part.kind === 'secret' ? { name, value: null, secret: true as const } : { name, value: null };
}

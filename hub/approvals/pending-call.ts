import type { Approval } from '@svc/core/approval/approval';
import type { HeldValues } from '@svc/core/approval/shown-command';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { refuse } from '@svc/core/refusal';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import type { ApprovalPorts } from './approval-ports.ts';

type FindPorts = { readonly ledger: ExecutionLedger; readonly endpoints: Endpoints } & ApprovalPorts;

/** An approval with its frozen request. */
export interface PendingCallRecord {
  readonly approval: Approval;
  readonly execution: Execution;
  /** The endpoint in the version that was called, which outlives the endpoint; undefined: it cannot be read any more. */
  readonly endpoint: Endpoint | undefined;
  readonly values: HeldValues;
}

export async function findPendingCall(ports: FindPorts, approvalId: string): Promise<PendingCallRecord> {
  const approval = await ports.approvals.find(approvalId);
  const record = approval && (await pendingCallOf(ports, approval));
  if (record === undefined) throw noSuchApproval();
  return record;
}

/** Undefined when the execution was deleted by retention. */
export async function pendingCallOf(
  { ledger, endpoints }: Pick<FindPorts, 'ledger' | 'endpoints'>,
  approval: Approval,
): Promise<PendingCallRecord | undefined> {
  const execution = await ledger.find(approval.executionId);
  if (execution === undefined) return undefined;
  const { endpointId, endpointVersion, args } = execution;
  const version =
    endpointVersion === undefined ? undefined : await endpoints.version(endpointId, endpointVersion);
  const endpoint = version && endpointIn(version.definition);
  return { approval, execution, endpoint, values: JSON.parse(args) as HeldValues };
}

export function noSuchApproval() {
  return refuse('not_found', 'there is no such approval');
}

function endpointIn(definition: string): Endpoint | undefined {
  const read = readDefinition(JSON.parse(definition) as WireDefinition);
  return read.kind === 'endpoint' ? read.endpoint : undefined;
}

import { type Approval, isPending } from '@svc/core/approval/approval';
import type { RecordedValues } from '@svc/core/approval/shown-command';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { STDIN_FILE } from '@svc/core/execution/received-file';
import { readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { refuse } from '@svc/core/refusal';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution, ExecutionLedger, NewExecution } from '../executions/execution-ports.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { Requester } from '../executions/requester.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { ApprovalDeps } from './approval-ports.ts';

type FindDeps = { readonly ledger: ExecutionLedger; readonly endpoints: Endpoints } & ApprovalDeps;

/** An approval with its frozen request. */
export interface PendingCallRecord {
  readonly approval: Approval;
  readonly execution: Execution;
  /** The endpoint in the version that was called, which outlives the endpoint; undefined: it cannot be read any more. */
  readonly endpoint: Endpoint | undefined;
  readonly values: RecordedValues;
}

export async function findPendingCall(deps: FindDeps, approvalId: string): Promise<PendingCallRecord> {
  const approval = await deps.approvals.find(approvalId);
  const record = approval && (await pendingCallOf(deps, approval));
  if (record === undefined) throw noSuchApproval();
  return record;
}

/** Undefined when the execution was deleted by retention. */
export async function pendingCallOf(
  { ledger, endpoints }: Pick<FindDeps, 'ledger' | 'endpoints'>,
  approval: Approval,
): Promise<PendingCallRecord | undefined> {
  const execution = await ledger.find(approval.executionId);
  if (execution === undefined) return undefined;
  const { endpointId, endpointVersion, args } = execution;
  const version =
    endpointVersion === undefined ? undefined : await endpoints.version(endpointId, endpointVersion);
  const endpoint = version && endpointIn(version.definition);
  return { approval, execution, endpoint, values: JSON.parse(args) as RecordedValues };
}

/** The values of a call for people: its files by the names that the client gave. */
export function withFileNames({
  values,
  execution: { files = [] },
}: {
  readonly values: RecordedValues;
  readonly execution: Pick<NewExecution, 'files'>;
}): RecordedValues {
  const names = files.filter(({ argument }) => argument !== STDIN_FILE);
  return {
    ...values,
    ...Object.fromEntries(names.map(({ argument, name }) => [argument, name ?? 'a file'])),
  };
}

export function noSuchApproval() {
  return refuse('not_found', 'there is no such approval');
}

function endpointIn(definition: string): Endpoint | undefined {
  const read = readDefinition(JSON.parse(definition) as WireDefinition);
  return read.kind === 'endpoint' ? read.endpoint : undefined;
}

/** The approval of an execution, before it is stored. */
export function newApproval(
  { random }: { readonly random: Random },
  { endpoint, registeredBy }: RegisteredEndpoint,
  execution: NewExecution,
  requester: Requester,
): Approval {
  const { createdAtMs } = execution;
  return {
    id: random.uuid(),
    workspaceId: execution.workspaceId,
    executionId: execution.id,
    slug: execution.slug,
    agentName: endpoint.agentName ?? registeredBy ?? 'default',
    requestedBy: requester.name,
    requesterId: requester.userId,
    generation: 0,
    createdAtMs,
    expiresAtMs: createdAtMs + endpoint.approvalTimeoutMins * 60_000,
    closing: undefined,
  };
}

/** Waits until the call is decided, until `untilMs`, or until the caller leaves; returns the call as it is then. */
export async function awaitDecision(
  deps: FindDeps & { readonly clock: Clock; readonly changes: ChangeWaiters },
  pending: PendingCallRecord,
  untilMs: number,
  left: AbortSignal,
): Promise<PendingCallRecord> {
  const { clock, changes } = deps;
  for (let now = pending; ; ) {
    const change = changes.next(pending.execution.id);
    try {
      now = await findPendingCall(deps, pending.approval.id);
      const nowMs = clock.nowMs();
      if (!isPending(now.approval, nowMs) || nowMs >= untilMs || left.aborted) return now;
      left.addEventListener('abort', change.wake, { once: true });
      await change.happened;
    } finally {
      change.wake();
      left.removeEventListener('abort', change.wake);
    }
  }
}

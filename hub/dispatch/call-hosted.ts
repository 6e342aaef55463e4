import { endedWaiting, HOSTED_WAIT_MS, type WaitingReason } from '@svc/core/execution/waiting';
import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import { acceptCall, acceptExecution } from '../executions/accept-execution.ts';
import type { Acceptance, NewExecution } from '../executions/execution-ports.ts';
import type { RunningExecution } from '../executions/live/running-executions.ts';
import { QUEUED, startOn } from '../executions/new-execution.ts';
import { quotaExceeded } from '../executions/quota-claim.ts';
import {
  hostedClaim,
  hostedLimits,
  hostedQuotaExceeded,
  hostedTerms,
  noPlace,
} from '../hosted/hosted-plan.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { type CheckedCall, executionOfCall, refuseWithoutRoom } from './checked-call.ts';
import { type Beginning, type CallHereDeps, dispatch } from './dispatch.ts';
import { sentDefinition } from './execution-order.ts';
import type { ExecutionQueue } from './queue.ts';
import type { HostOutcome } from './queue-entries.ts';

export type CallHostedDeps = CallHereDeps & {
  readonly accounts: Accounts;
  readonly hosts: HostedHosts;
  readonly hosted: HostedRecords;
  readonly queue: ExecutionQueue;
};

type Repeated = Extract<Acceptance, { kind: 'repeated' }>;
type NoPlace = { readonly kind: 'no_place' };
type Queued = { readonly kind: 'queued'; readonly execution: NewExecution };

/** The call runs; it is stored and waits; or its idempotency key was used before. */
export type CalledHosted =
  | { readonly kind: 'running'; readonly running: RunningExecution }
  | Queued
  | Repeated;

/**
 * Dispatches a call to a host of the hosted runner. A call that finds no free place waits up to 30 s before it is stored, so a
 * refused call leaves no record (decision 50, the queue of the hosted runner).
 *
 * @throws `plan_limit`, `quota_exceeded`, `concurrency_limited`
 */
export async function callHosted(deps: CallHostedDeps, call: CheckedCall): Promise<CalledHosted> {
  if (call.asynchronous) return await queueHosted(deps, call);
  const { concurrent } = hostedLimits(call.workspace);
  const { promise, resolve, reject } = Promise.withResolvers<CalledHosted>();
  const begin = async (host: AgentProcess): Promise<HostOutcome> => {
    try {
      const called = await callHost(deps, call, host);
      if (called.kind === 'no_place') return 'no_place';
      resolve(called);
    } catch (error) {
      reject(error as Error);
    }
    return 'over';
  };
  deps.queue.addUnstored({
    workspaceId: call.workspace.id,
    concurrent,
    untilMs: deps.clock.nowMs() + HOSTED_WAIT_MS,
    begin,
    late: (reason) => reject(lateRefusal(call, reason)),
  });
  return await promise;
}

/** The refusal after 30 s: all hosts may have disconnected meanwhile. */
function lateRefusal({ workspace }: CheckedCall, reason: WaitingReason) {
  if (reason !== 'no_host') return noPlace(workspace, HOSTED_WAIT_MS);
  return refuse('agent_offline', 'no hosted runner is connected any more');
}

async function callHost(
  deps: CallHostedDeps,
  call: CheckedCall,
  host: AgentProcess,
): Promise<CalledHosted | NoPlace> {
  refuseWithoutRoom(deps.executions, call.target);
  return await dispatch(deps, { process: host, endpointId: call.target.id }, () => accept(deps, call, host));
}

/** Stores the call as running together with both quota units and its place, or stores nothing. */
async function accept(
  deps: CallHostedDeps,
  call: CheckedCall,
  host: AgentProcess,
): Promise<Beginning<Repeated | NoPlace | Queued>> {
  const { workspace } = call;
  const execution = executionOfCall(deps, call, startOn(host));
  const hosted = await hostedTerms(deps, execution);
  const quota = hostedClaim(workspace, execution.createdAtMs);
  const accepted = await acceptExecution(deps, execution, quota, call.idempotency);
  switch (accepted.kind) {
    case 'no_place':
    case 'repeated':
      return accepted;
    case 'quota_exceeded':
      throw quotaExceeded(workspace, execution.createdAtMs);
    case 'hosted_quota_exceeded':
      throw hostedQuotaExceeded(workspace, execution.createdAtMs);
    case 'stored': {
      // Another hub has taken over the row of a lost answer, or rejected it. Its record says how it ends; no order may be sent for it.
      if (accepted.wasThere) return { kind: 'queued', execution };
      const values = { args: Object.fromEntries(call.values), secrets: call.secrets.values, hosted };
      return { kind: 'begun', execution, values, definition: sentDefinition(call.target, host.name) };
    }
  }
}

/** An asynchronous call is answered as soon as it is stored; the queue begins it. */
async function queueHosted(deps: CallHostedDeps, call: CheckedCall): Promise<CalledHosted> {
  refuseWithoutRoom(deps.executions, call.target);
  const execution = executionOfCall(deps, call, QUEUED);
  const accepted = await acceptCall(deps, call, execution, call.idempotency);
  if (accepted.kind === 'repeated') return accepted;
  const untilMs = execution.createdAtMs + HOSTED_WAIT_MS;
  const late = (reason: WaitingReason) => endedWaiting(reason, HOSTED_WAIT_MS);
  await deps.queue.add(execution, { untilMs, late });
  return { kind: 'queued', execution };
}

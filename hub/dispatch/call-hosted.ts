import { rejectedBecause } from '@svc/core/execution/outcome';
import { endedWaiting, HOSTED_WAIT_MS } from '@svc/core/execution/waiting';
import { hostedTimeoutSec } from '@svc/core/plan/hosted';
import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import { acceptCall } from '../executions/accept-call.ts';
import type { AcceptPorts } from '../executions/accept-execution.ts';
import { acceptExecution } from '../executions/accept-execution.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { Acceptance, IdempotencyClaim, NewExecution } from '../executions/execution-ports.ts';
import type { Running, RunningExecutions } from '../executions/live/running-executions.ts';
import { newExecution, QUEUED, startOn } from '../executions/new-execution.ts';
import { quotaExceeded } from '../executions/quota-claim.ts';
import { hostedClaim, hostedLimits, hostedQuotaExceeded, noPlace } from '../hosted/hosted-plan.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedQueue, TurnOutcome } from '../hosted/hosted-queue.ts';
import { hostedTerms } from '../hosted/hosted-terms.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { CommandSecrets } from '../secret-grants/order-secrets.ts';
import type { ExecutionQueue } from './queue.ts';
import { runOrder, sentDefinition } from './run-order.ts';

export type CallHostedPorts = {
  readonly accounts: Accounts;
  readonly agents: AgentDirectory;
  readonly hosts: HostedHosts;
  readonly hosted: HostedRecords;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
} & AcceptPorts & {
    readonly executions: RunningExecutions;
    readonly line: HostedQueue;
    readonly queue: ExecutionQueue;
  };

/** A call that has been checked, with all that its command gets. */
export interface HostedCall {
  readonly call: EndpointCall;
  readonly secrets: CommandSecrets['values'];
  readonly idempotency: IdempotencyClaim | undefined;
}

const HOST_GONE = rejectedBecause(
  'agent_offline',
  'agent_offline',
  'the hosted runner went offline before it could be told',
);

type Repeated = Extract<Acceptance, { kind: 'repeated' }>;

/** It runs; it is on record and waits; or it is the second of two equal ones. */
export type CalledHosted =
  | { readonly kind: 'running'; readonly running: Running }
  | { readonly kind: 'queued'; readonly execution: NewExecution }
  | Repeated;

/**
 * Gives a call to a host of the hosted runner. One that finds no place waits for 30 s, before it is accepted: nothing is on
 * record of a call that is refused then (decision 50).
 *
 * @throws `plan_limit`, `quota_exceeded`, `concurrency_limited`
 */
export async function callHosted(ports: CallHostedPorts, hosted: HostedCall): Promise<CalledHosted> {
  const { call } = hosted;
  if (call.asynchronous) return await queueHosted(ports, hosted);
  const { concurrent } = hostedLimits(call.workspace);
  const { promise, resolve, reject } = Promise.withResolvers<CalledHosted>();
  let isLate = false;
  const giveUp = () => reject(lateRefusal(ports, call));
  const begin = async (host: AgentProcess): Promise<TurnOutcome> => {
    try {
      const called = await beginHosted(ports, hosted, host);
      if (called !== 'no_place') resolve(called);
      else if (isLate) giveUp();
      else return called;
    } catch (error) {
      reject(error as Error);
    }
    return 'over';
  };
  const leave = ports.line.join({ workspaceId: call.workspace.id, concurrent, instance: undefined, begin });
  const withdraw = ports.clock.at(ports.clock.nowMs() + HOSTED_WAIT_MS, () => {
    isLate = true;
    if (leave()) giveUp();
  });
  try {
    return await promise;
  } finally {
    withdraw();
  }
}

/** All hosts may have gone while it waited. */
function lateRefusal({ hosts }: CallHostedPorts, { workspace }: EndpointCall) {
  if (hosts.hasHost()) return noPlace(workspace, HOSTED_WAIT_MS);
  return refuse('agent_offline', 'no hosted runner is connected any more');
}

/** It is accepted as running, with the unit of both quotas and the place that it takes, or not at all. */
async function beginHosted(
  ports: CallHostedPorts,
  { call, secrets, idempotency }: HostedCall,
  host: AgentProcess,
): Promise<CalledHosted | 'no_place'> {
  refuseTooMany(ports, call);
  const giveBack = ports.executions.hold(call.target.id);
  try {
    const execution = hostedExecution(ports, call, startOn(host));
    const terms = await hostedTerms(ports, execution);
    const quota = hostedClaim(call.workspace, execution.createdAtMs);
    const accepted = await acceptExecution(ports, execution, quota, idempotency);
    switch (accepted.kind) {
      case 'stored':
        break;
      case 'no_place':
        return 'no_place';
      case 'repeated':
        return accepted;
      case 'quota_exceeded':
        throw quotaExceeded(call.workspace, execution.createdAtMs);
      case 'hosted_quota_exceeded':
        throw hostedQuotaExceeded(call.workspace, execution.createdAtMs);
    }
    const definition = sentDefinition(call.target, host.name);
    const running = ports.executions.take(execution, definition);
    const values = { args: Object.fromEntries(call.values), secrets, hosted: terms };
    if (!ports.agents.run(host, runOrder(execution, values, definition)))
      running.live.finish(HOST_GONE, ports.clock.nowMs(), 'refund');
    return { kind: 'running', running };
  } finally {
    giveBack();
  }
}

/** Whoever does not wait for the answer is told at once that it is on record; the rest is for the queue. */
async function queueHosted(ports: CallHostedPorts, { call, idempotency }: HostedCall): Promise<CalledHosted> {
  refuseTooMany(ports, call);
  const execution = hostedExecution(ports, call, QUEUED);
  const accepted = await acceptCall(ports, call, execution, idempotency);
  if (accepted.kind === 'repeated') return accepted;
  const untilMs = execution.createdAtMs + HOSTED_WAIT_MS;
  await ports.queue.add(execution, {
    untilMs,
    late: (waitingReason) => endedWaiting(waitingReason, HOSTED_WAIT_MS),
  });
  return { kind: 'queued', execution };
}

function hostedExecution(
  ports: CallHostedPorts,
  call: EndpointCall,
  start: Parameters<typeof newExecution>[2],
): NewExecution {
  const execution = newExecution(ports, call, start);
  return { ...execution, timeoutSec: hostedTimeoutSec(call.workspace.plan, execution.timeoutSec) };
}

function refuseTooMany({ executions }: CallHostedPorts, { target: { id, endpoint } }: EndpointCall): void {
  const { maxConcurrent, slug } = endpoint;
  if (maxConcurrent === undefined || executions.countOf(id) < maxConcurrent) return;
  const message = `"${slug}" runs ${maxConcurrent} at a time, and that many run now`;
  throw refuse('concurrency_limited', message, { limit: maxConcurrent });
}

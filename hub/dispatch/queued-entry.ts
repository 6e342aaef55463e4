import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import { endedWaiting, type HostedWaitingReason } from '@svc/core/execution/waiting';
import { hostedTimeoutSec } from '@svc/core/plan/hosted';
import { Refusal } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RunningExecutions, Started } from '../executions/live/running-executions.ts';
import { hostedClaim, hostedLimits, hostedQuotaExceeded } from '../hosted/hosted-plan.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { Turn, TurnOutcome } from '../hosted/hosted-queue.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { restoreValues } from './restore-values.ts';
import { type OrderValues, recordedDefinition } from './run-order.ts';

export type QueuedEntryPorts = {
  readonly accounts: Accounts;
  readonly hosted: HostedRecords;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly vault: Vault;
  readonly secrets: Secrets;
  readonly hubId: string;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
} & {
  readonly executions: RunningExecutions;
  readonly reportBug: (error: unknown) => unknown;
};

export interface BegunHosted {
  readonly execution: Started;
  readonly definition: string | undefined;
  readonly values: OrderValues;
}

/** One that is on record as queued, and what its queue does with it. */
export interface QueuedHosted {
  readonly execution: Started;
  readonly target: RegisteredEndpoint;
  /** Whoever takes it out of those that wait is the only one to go on with it. */
  take(): boolean;
  /** It waits on; false when it has waited too long, and has ended by that. */
  putBack(): boolean;
  end(ended: Ended): Promise<void>;
  tell(host: AgentProcess, begun: BegunHosted): Promise<void>;
}

/** How a queued execution stands in line; undefined: its workspace may not use the hosted runner, and it has ended by that. */
export async function queuedEntry(ports: QueuedEntryPorts, queued: QueuedHosted): Promise<Turn | undefined> {
  const { workspaceId, step } = queued.execution;
  const workspace = await workspaceOf(ports, workspaceId);
  const instance = step && (await untilAnswered(ports.clock, () => ports.hosted.hostOf(step.runId)));
  try {
    const { concurrent } = hostedLimits(workspace);
    return { workspaceId, concurrent, instance, begin: (host) => beginQueued(ports, queued, host) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (queued.take()) await queued.end(refusedBy(error));
    return undefined;
  }
}

/** What a queued execution of the hosted runner waits for. */
export function hostedWaitingReason(hosts: HostedHosts, pinned: string | undefined): HostedWaitingReason {
  if (!hosts.hasHost()) return 'no_host';
  return pinned !== undefined && !hosts.hasHost(pinned) ? 'host_gone' : 'no_place';
}

async function beginQueued(
  ports: QueuedEntryPorts,
  queued: QueuedHosted,
  host: AgentProcess,
): Promise<TurnOutcome> {
  if (!queued.take()) return 'over';
  const { executions, reportBug } = ports;
  const { id, endpoint } = queued.target;
  const { maxConcurrent = Number.POSITIVE_INFINITY } = endpoint;
  if (executions.countOf(id) >= maxConcurrent) return queued.putBack() ? 'not_now' : 'over';
  const giveBack = executions.hold(id);
  try {
    return await tryToBegin(ports, queued, host);
  } catch (error) {
    reportBug(error);
    return queued.putBack() ? 'not_now' : 'over';
  } finally {
    giveBack();
  }
}

async function tryToBegin(
  ports: QueuedEntryPorts,
  queued: QueuedHosted,
  host: AgentProcess,
): Promise<TurnOutcome> {
  const { clock, hosted, hubId } = ports;
  const { execution, target } = queued;
  const restored = await untilAnswered(clock, () => restoreValues(ports, execution, host, target));
  if (restored.kind !== 'values') {
    await queued.end(restored.kind === 'gone' ? endedWaiting('values_gone') : refusedBy(restored.refusal));
    return 'over';
  }
  const workspace = await workspaceOf(ports, execution.workspaceId);
  const nowMs = clock.nowMs();
  const begun = { ...execution, ...placed(host), hubId, startedAtMs: nowMs };
  const timeoutSec = hostedTimeoutSec(workspace.plan, execution.timeoutSec);
  const start = {
    executionId: execution.id,
    process: host,
    hubId,
    nowMs,
    timeoutSec,
    claim: hostedClaim(workspace, nowMs),
    runId: execution.step?.runId,
  };
  const definition = await untilAnswered(clock, () => recordedDefinition(ports, begun));
  switch (await untilAnswered(clock, () => hosted.begin(start))) {
    case 'begun':
      await queued.tell(host, {
        execution: { ...begun, timeoutSec },
        definition,
        values: restored.values,
      });
      return 'over';
    case 'not_queued':
      return 'over';
    case 'no_place':
      return queued.putBack() ? 'no_place' : 'over';
    case 'pinned_elsewhere':
      return await pinnedElsewhere(ports, queued);
    case 'hosted_quota_exceeded': {
      const { code, message } = hostedQuotaExceeded(workspace, nowMs);
      await queued.end(rejectedBecause('quota', code, message));
      return 'over';
    }
  }
}

/** Another step of its run began at the same moment. */
async function pinnedElsewhere(
  { hosted, clock }: QueuedEntryPorts,
  queued: QueuedHosted,
): Promise<TurnOutcome> {
  const { step } = queued.execution;
  const pinned = step && (await untilAnswered(clock, () => hosted.hostOf(step.runId)));
  if (!queued.putBack()) return 'over';
  return pinned === undefined ? 'not_now' : { pinned };
}

function placed({ name, instance, boot }: AgentProcess) {
  return { agentName: name, agentInstance: instance, agentBoot: boot };
}

/** One that is being deleted has no plan any more. */
async function workspaceOf({ accounts, clock }: QueuedEntryPorts, id: string): Promise<Workspace> {
  const found = await untilAnswered(clock, () => accounts.workspaceById(id));
  return found ?? { id, username: undefined, ownerId: '', plan: 'free' };
}

function refusedBy({ code, message }: Refusal): Ended {
  return rejectedBecause('refused', code, message);
}

import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import { hasRoom } from '@svc/core/execution/placement';
import { endedWaiting, type HostedWaitingReason } from '@svc/core/execution/waiting';
import { hostedTimeoutSec } from '@svc/core/plan/hosted';
import { Refusal } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import { hostedClaim, hostedLimits, hostedQuotaExceeded } from '../hosted/hosted-plan.ts';
import type { HostedHosts } from '../hosted/hosted-ports.ts';
import type { HostedRecords } from '../hosted/store/hosted-records.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import { type Beginning, type DispatchDeps, dispatch } from './dispatch.ts';
import { recordedDefinition } from './execution-order.ts';
import type { HostOutcome, HostTerms } from './queue-entries.ts';
import { type RestoreDeps, restoreValues } from './restore-values.ts';

type TermsDeps = { readonly accounts: Accounts; readonly hosted: HostedRecords; readonly clock: Clock };
export type DispatchToHostDeps = DispatchDeps & RestoreDeps & TermsDeps & { readonly hubId: string };

export type HostedEntryTerms = Omit<HostTerms, 'attempts'>;

/** The terms on which a queued execution waits for a host, or its end because its plan has no hosted runner. */
export async function hostedEntryTerms(
  { accounts, hosted, clock }: TermsDeps,
  { workspaceId, step }: Started,
): Promise<HostedEntryTerms | Ended> {
  const workspace = await workspaceOf({ accounts, clock }, workspaceId);
  const instance = step && (await untilAnswered(clock, () => hosted.hostOf(step.runId)));
  try {
    return { concurrent: hostedLimits(workspace).concurrent, instance };
  } catch (error) {
    if (error instanceof Refusal) return rejectedBy(error);
    throw error;
  }
}

/** Why a queued execution of the hosted runner waits. */
export function hostedWaitingReason(hosts: HostedHosts, pinned: string | undefined): HostedWaitingReason {
  if (!hosts.hasHost()) return 'no_host';
  return pinned !== undefined && !hosts.hasHost(pinned) ? 'host_gone' : 'no_place';
}

/** Why a queued execution has not begun: it was not queued any more, it ends, or it waits on. */
type NotBegun =
  | { readonly kind: 'not_queued' }
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'wait'; readonly outcome: Exclude<HostOutcome, 'over'> };

/** Dispatches a queued execution to a host that the queue has reserved for it. */
export async function dispatchToHost(
  deps: DispatchToHostDeps,
  execution: Started,
  target: RegisteredEndpoint,
  host: AgentProcess,
): Promise<{ readonly kind: 'running' } | NotBegun> {
  if (!hasRoom(deps.executions.countOf(target.id), target.endpoint.maxConcurrent))
    return { kind: 'wait', outcome: 'not_now' };
  const begin = () => beginOnHost(deps, execution, target, host);
  return await dispatch(deps, { process: host, endpointId: target.id }, begin);
}

/** queued -> running by compare-and-set, together with the hosted quota, the place and the host of its pipeline run. */
async function beginOnHost(
  deps: DispatchToHostDeps,
  execution: Started,
  target: RegisteredEndpoint,
  host: AgentProcess,
): Promise<Beginning<NotBegun>> {
  const { clock, hosted, hubId } = deps;
  const restored = await untilAnswered(clock, () => restoreValues(deps, execution, host, target));
  if (restored.kind === 'gone') return { kind: 'ended', ended: endedWaiting('values_gone') };
  if (restored.kind === 'refused') return { kind: 'ended', ended: rejectedBy(restored.refusal) };
  const workspace = await workspaceOf(deps, execution.workspaceId);
  const nowMs = clock.nowMs();
  const { name, instance, boot } = host;
  const timeoutSec = hostedTimeoutSec(workspace.plan, execution.timeoutSec);
  const begun = {
    ...execution,
    ...{ agentName: name, agentInstance: instance, agentBoot: boot },
    ...{ hubId, startedAtMs: nowMs, timeoutSec },
  };
  const definition = await untilAnswered(clock, () => recordedDefinition(deps, begun));
  const { id: executionId, step } = execution;
  const start = {
    ...{ executionId, process: host, hubId, nowMs, timeoutSec, runId: step?.runId },
    claim: hostedClaim(workspace, nowMs),
  };
  const outcome = await untilAnswered(clock, () => hosted.begin(start));
  switch (outcome) {
    case 'begun':
      return { kind: 'begun', execution: begun, definition, values: restored.values };
    case 'not_queued':
      return { kind: 'not_queued' };
    case 'no_place':
      return { kind: 'wait', outcome: 'no_place' };
    case 'pinned_elsewhere':
      return { kind: 'wait', outcome: await pinnedHost(deps, execution) };
    case 'hosted_quota_exceeded': {
      const { code, message } = hostedQuotaExceeded(workspace, nowMs);
      return { kind: 'ended', ended: rejectedBecause('quota', code, message) };
    }
  }
}

/** Another step of the pipeline run began at the same moment on another host, which keeps the run. */
async function pinnedHost({ hosted, clock }: TermsDeps, { step }: Started) {
  const pinned = step && (await untilAnswered(clock, () => hosted.hostOf(step.runId)));
  return pinned === undefined ? 'not_now' : { pinned };
}

/** A workspace that is being deleted has no plan any more. */
async function workspaceOf(
  { accounts, clock }: Pick<TermsDeps, 'accounts' | 'clock'>,
  id: string,
): Promise<Workspace> {
  const found = await untilAnswered(clock, () => accounts.workspaceById(id));
  return found ?? { id, username: undefined, ownerId: '', plan: 'free' };
}

function rejectedBy({ code, message }: Refusal): Ended {
  return rejectedBecause('refused', code, message);
}

import type { CallInput } from '@svc/core/api/call-body';
import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import { place } from '@svc/core/execution/placement';
import type { WaitingReason } from '@svc/core/execution/waiting';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import { untilAnswered } from '../platform/until-answered.ts';
import { mayHaveSecrets } from '../secret-grants/order-secrets.ts';
import { isAboutProcess } from '../secret-grants/secret-terms.ts';
import type { Spool } from '../spool/spool.ts';
import { type Beginning, type DispatchDeps, dispatch } from './dispatch.ts';
import { type OrderValues, recordedDefinition } from './execution-order.ts';
import { type RestoreDeps, restoreValues } from './restore-values.ts';

export type DispatchQueuedDeps = DispatchDeps &
  RestoreDeps & {
    readonly ledger: Pick<ExecutionLedger, 'begin'>;
    readonly hubId: string;
    readonly spool: Pick<Spool, 'open'>;
    /** Another hub may have an agent process that this hub does not have. */
    readonly hasOtherHubs: boolean;
  };

/** `ready`: the execution can be dispatched to the process, if the caller reserves the slot before it awaits anything. */
export type Readiness =
  | { readonly kind: 'wait'; readonly reason: WaitingReason }
  | { readonly kind: 'refused'; readonly ended: Ended }
  | ({ readonly kind: 'ready' } & ReadyToDispatch);

export interface ReadyToDispatch {
  readonly process: AgentProcess;
  readonly values: OrderValues;
  readonly input?: CallInput | undefined;
}

/** Places a queued execution on an agent that is connected now, with its values and secrets as they are now. */
export async function findPlace(
  deps: DispatchQueuedDeps,
  execution: Started,
  target: RegisteredEndpoint,
): Promise<Readiness> {
  const { clock, agents, executions } = deps;
  const mayHave = await untilAnswered(clock, () => mayHaveSecrets(deps, target));
  const chosen = agents.choose(target, mayHave);
  if (chosen === undefined) return { kind: 'wait', reason: 'no_agent' };
  const restored = await untilAnswered(clock, () => restoreValues(deps, execution, chosen, target));
  if (restored.kind === 'gone') return { kind: 'wait', reason: 'values_gone' };
  if (restored.kind === 'refused') {
    // Another hub may have the process that may have the secrets.
    if (deps.hasOtherHubs && isAboutProcess(restored.refusal)) return { kind: 'wait', reason: 'no_agent' };
    const { code, message } = restored.refusal;
    return { kind: 'refused', ended: rejectedBecause('refused', code, message) };
  }
  // From here on nothing is awaited: agents may have connected or left while the values were read.
  const { values, input } = restored;
  const hasSecrets = Object.keys(values.secrets).length > 0;
  const process = agents.choose(target, (one) => !hasSecrets || one === chosen);
  if (process?.name !== chosen.name) return { kind: 'wait', reason: 'no_agent' };
  // The secrets were opened for one process: any other process is checked again.
  if (hasSecrets && process !== chosen) return await findPlace(deps, execution, target);
  const { maxConcurrent } = target.endpoint;
  const placement = place({ process, running: executions.countOf(target.id), maxConcurrent });
  return placement.kind === 'wait' ? placement : { kind: 'ready', process: placement.process, values, input };
}

/** Dispatches a queued execution. False when it is no longer queued. */
export async function dispatchQueued(
  deps: DispatchQueuedDeps,
  execution: Started,
  ready: ReadyToDispatch,
): Promise<boolean> {
  const { process } = ready;
  const begin = () => beginQueued(deps, execution, ready);
  const { kind } = await dispatch(deps, { process, endpointId: execution.endpointId }, begin);
  return kind === 'running';
}

/** queued -> running by compare-and-set. */
async function beginQueued(
  deps: DispatchQueuedDeps,
  execution: Started,
  { process: { name, instance, boot }, values, input }: ReadyToDispatch,
): Promise<Beginning<{ readonly kind: 'not_queued' }>> {
  const { ledger, clock, hubId } = deps;
  const definition = await untilAnswered(clock, () => recordedDefinition(deps, execution));
  const to = { name, instance, boot, hubId, nowMs: clock.nowMs() };
  if (!(await untilAnswered(clock, () => ledger.begin(execution.id, to)))) return { kind: 'not_queued' };
  const begun = { ...execution, hubId, agentName: name, agentInstance: instance, agentBoot: boot };
  const kept = values.kept && deps.spool.open(execution.id, values.kept);
  return { kind: 'begun', execution: begun, values, definition, input: kept ?? input };
}

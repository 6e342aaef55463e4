import type { CallInput } from '@svc/core/api/call-body';
import { rejectedBecause } from '@svc/core/execution/outcome';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import { isHost } from '../agents/host-address.ts';
import { type AcceptDeps, acceptCall } from '../executions/accept-execution.ts';
import type { Acceptance } from '../executions/execution-ports.ts';
import type { RunningExecution, RunningExecutions, Started } from '../executions/live/running-executions.ts';
import { startOn } from '../executions/new-execution.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { type CheckedCall, executionOfCall, refuseWithoutRoom } from './checked-call.ts';
import { executionOrder, isToBeConfirmed, type OrderValues, sentDefinition } from './execution-order.ts';

export interface DispatchDeps {
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  readonly executions: RunningExecutions;
}

/** The agent process and the endpoint at which an execution takes a slot. */
export interface Destination {
  readonly process: AgentProcess;
  readonly endpointId: string;
}

/** An execution that is on record as running, with everything that only its agent gets. */
export interface Begun {
  readonly execution: Started;
  readonly values: OrderValues;
  /** Undefined for an endpoint that the agent has in its own file. */
  readonly definition: string | undefined;
  /** The body for its command. */
  readonly input?: CallInput | undefined;
}

/** The result of storing the beginning: the record is `running`, or the reason why nothing is sent. */
export type Beginning<NotBegun> = ({ readonly kind: 'begun' } & Begun) | NotBegun;

const AGENT_GONE = offline('the agent went offline before it received the execution');
const HOST_GONE = offline('the hosted runner went offline before it received the execution');

/**
 * Dispatches an execution. Calls, schedules, approvals, pipeline steps, reconnects and calls from other hubs all end here
 * (decision 24, states and takeover):
 *
 * 1. reserve a slot at the endpoint and at the agent, before anything is awaited;
 * 2. begin: store that it runs, by compare-and-set. A hub that dies before the next step never dispatches twice;
 * 3. send the order; an agent that has gone meanwhile ran nothing, so the execution is rejected and its quota is returned;
 * 4. release the slot: from step 3 on the execution counts itself.
 */
export async function dispatch<NotBegun extends { readonly kind: string }>(
  deps: DispatchDeps,
  destination: Destination,
  begin: () => Promise<Beginning<NotBegun>>,
): Promise<
  { readonly kind: 'running'; readonly running: RunningExecution } | Exclude<NotBegun, { kind: 'begun' }>
> {
  const slot = reserveSlot(deps, destination);
  try {
    const beginning = await begin();
    // Nothing is awaited between the stored beginning and the order.
    return isBegun(beginning)
      ? { kind: 'running', running: slot.send(beginning) }
      : (beginning as Exclude<NotBegun, { kind: 'begun' }>);
  } finally {
    slot.release();
  }
}

/** A reserved slot: it counts at its endpoint and at its agent until it is released. */
export interface Slot {
  /** Sends the order for an execution whose beginning is stored. */
  send(begun: Begun): RunningExecution;
  release(): void;
}

/**
 * Reserves a slot: step 1 of `dispatch` by itself, for a pipeline turn. A turn chooses agents for several steps, one after the
 * other, and stores the beginning of all of them in one commit.
 */
export function reserveSlot(deps: DispatchDeps, { process, endpointId }: Destination): Slot {
  const releaseEndpoint = deps.executions.reserveSlot(endpointId);
  // The queue has reserved the slot at a host when it chose the host.
  const releaseAgent = isHost(process) ? undefined : deps.agents.reserveSlot(process);
  return {
    send: (begun) => send(deps, process, begun),
    release() {
      releaseEndpoint();
      releaseAgent?.();
    },
  };
}

function send(
  { agents, clock, executions }: DispatchDeps,
  process: AgentProcess,
  { execution, values, definition, input }: Begun,
): RunningExecution {
  const running = executions.take(execution, definition, input);
  const order = executionOrder(execution, { ...values, input }, definition);
  if (!agents.run(process, order, isToBeConfirmed(execution)))
    running.live.finish(isHost(process) ? HOST_GONE : AGENT_GONE, clock.nowMs(), 'refund');
  return running;
}

function isBegun<NotBegun>(beginning: Beginning<NotBegun>): beginning is { readonly kind: 'begun' } & Begun {
  return (beginning as { readonly kind: string }).kind === 'begun';
}

function offline(message: string) {
  return rejectedBecause('agent_offline', 'agent_offline', message);
}

export type CallHereDeps = DispatchDeps &
  AcceptDeps & { readonly random: Random; readonly vault: Vault; readonly hubId: string };

type Repeated = Extract<Acceptance, { kind: 'repeated' }>;
/** An execution with this id was stored before: the request that stored it reports its end. */
type Known = { readonly kind: 'known' };

export type CalledHere = { readonly kind: 'running'; readonly running: RunningExecution } | Known | Repeated;

/**
 * Stores a call as running and dispatches it to an agent that is connected to this hub.
 *
 * @param executionId of a call that another hub has forwarded
 * @throws `secret_not_allowed`, `concurrency_limited`, `quota_exceeded`, `unavailable`
 */
export async function callHere(
  deps: CallHereDeps,
  call: CheckedCall,
  process: AgentProcess,
  executionId?: string,
): Promise<CalledHere> {
  const refusal = call.secrets.refusalFor(process);
  if (refusal !== undefined) throw refusal;
  refuseWithoutRoom(deps.executions, call.target);
  const begin = () => accept(deps, call, process, executionId);
  return await dispatch(deps, { process, endpointId: call.target.id }, begin);
}

async function accept(
  deps: CallHereDeps,
  call: CheckedCall,
  process: AgentProcess,
  executionId: string | undefined,
): Promise<Beginning<Known | Repeated>> {
  const execution = executionOfCall(deps, call, startOn(process), executionId);
  const accepted = await acceptCall(deps, call, execution, call.idempotency);
  if (accepted.kind === 'repeated') return accepted;
  if (accepted.wasThere) return { kind: 'known' };
  const values = { args: Object.fromEntries(call.values), secrets: call.secrets.values };
  const definition = sentDefinition(call.target, process.name);
  return { kind: 'begun', execution, values, definition, input: call.input };
}

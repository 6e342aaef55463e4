import type { AlertEvent } from '@svc/core/alert/event';
import type { CallInput } from '@svc/core/api/call-body';
import { hostedPeriod, quotaPeriod } from '@svc/core/plan/plans';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { AgentAddress, AgentDirectory } from '../../agents/directory-ports.ts';
import { isHost, NO_WORKSPACE } from '../../agents/host-address.ts';
import type { AlertsOf } from '../../alerts/execution-alerts.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import type { Clock } from '../../platform/world.ts';
import type {
  Execution,
  ExecutionLedger,
  Finish,
  NewExecution,
  OutputChunk,
  QuotaClaim,
} from '../execution-ports.ts';
import { InputStream } from './input-stream.ts';
import { LiveExecution } from './live-execution.ts';

/** An execution that was sent to an agent, or is about to be. */
export interface RunningExecution {
  readonly execution: Started;
  readonly live: LiveExecution;
  /** The definition that the order carries; undefined: the agent has it in its own file. */
  readonly definition: string | undefined;
  /** The body that its command reads; undefined: none, or an earlier hub had it. */
  input: InputStream | undefined;
  /** A cancel was requested. */
  isCancelled: boolean;
}

/** The facts of an execution that are fixed from its acceptance on. */
export type Started = Omit<NewExecution, 'state'>;

type Taken = Started &
  Partial<Pick<Execution, 'lastSeq' | 'storedBytes' | 'cancelRequestedAtMs' | 'queuedAtMs' | 'startedAtMs'>>;

export interface Observer {
  /** Called when a write failed; the write is repeated. */
  readonly trouble: (executionId: string, error: unknown) => void;
  /** Called with each new piece of output. Its bytes may be released when this returns. */
  readonly output?: (execution: Started, chunk: OutputChunk) => void;
}

type RunningDeps = {
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
  readonly agents: AgentDirectory;
  readonly events: Pick<EventStream, 'publish'>;
} & { readonly alertsOf: AlertsOf };

/** The executions that run at this hub: an index of stored rows by id, agent and endpoint. */
export class RunningExecutions {
  readonly #deps: RunningDeps;
  readonly #observer: Observer;
  readonly #byId = new Map<string, RunningExecution>();
  readonly #byAgent = new Map<string, Set<RunningExecution>>();
  readonly #countByEndpoint = new Map<string, number>();
  readonly #hostedByWorkspace = new Map<string, number>();

  constructor(deps: RunningDeps, observer: Observer) {
    this.#deps = deps;
    this.#observer = observer;
  }

  get count(): number {
    return this.#byId.size;
  }

  find(executionId: string): RunningExecution | undefined {
    return this.#byId.get(executionId);
  }

  all(): RunningExecution[] {
    return [...this.#byId.values()];
  }

  ofAgent(address: AgentAddress): RunningExecution[] {
    return [...(this.#byAgent.get(keyOf(address)) ?? [])];
  }

  countOf(endpointId: string): number {
    return this.#countByEndpoint.get(endpointId) ?? 0;
  }

  /** The number of executions of a workspace that run on the hosted runner through this hub. */
  hostedOf(workspaceId: string): number {
    return this.#hostedByWorkspace.get(workspaceId) ?? 0;
  }

  /** Reserves a slot at an endpoint, so that no other execution takes it meanwhile. The returned function releases it. */
  reserveSlot(endpointId: string): () => void {
    this.#count(endpointId, 1);
    return () => this.#count(endpointId, -1);
  }

  /** Resolves when every execution that has readers now has ended. */
  async untilRead(): Promise<void> {
    const read = [...this.#byId.values()].filter(({ live }) => live.hasReaders);
    await Promise.all(read.map(({ live }) => live.ended));
  }

  /** Sends the cancel to the agent. An agent that is offline gets it when it reconnects. */
  cancel(executionId: string): void {
    const running = this.#byId.get(executionId);
    if (running === undefined) return;
    running.isCancelled = true;
    const address = addressOf(running.execution);
    if (address !== undefined) this.#deps.agents.cancel(address, executionId);
  }

  /** Repeats the cancels of an agent that has reconnected, because it may have missed them. */
  resendCancels(address: AgentAddress): void {
    for (const { isCancelled, live } of this.ofAgent(address)) {
      if (isCancelled && !live.isFinishing) this.cancel(live.id);
    }
  }

  /** The alerts of an end, which are stored with it. */
  alertsOf(execution: Started, ended: Finish): Promise<readonly AlertEvent[]> {
    return this.#deps.alertsOf(execution, ended);
  }

  /**
   * Adds an execution.
   *
   * @param definition the definition that the order carries; undefined: the agent has it in its own file
   * @param input the body for its command
   */
  take(execution: Taken, definition: string | undefined, input?: CallInput): RunningExecution {
    const known = this.#byId.get(execution.id);
    if (known !== undefined) return known;
    const address = addressOf(execution);
    const { ledger, clock, agents, events } = this.#deps;
    const live = new LiveExecution({
      id: execution.id,
      timeoutSec: execution.timeoutSec,
      hubId: execution.hubId,
      storedSeq: execution.lastSeq ?? 0,
      storedBytes: execution.storedBytes ?? 0,
      quota: quotaOf(execution),
      ledger,
      clock,
      alertsOf: (finish) => this.alertsOf(execution, finish),
      onOutput: (chunk) => this.#observer.output?.(execution, chunk),
      onTrouble: (error) => this.#observer.trouble(execution.id, error),
      onSafe: (seq) => address && agents.acknowledge(address, execution.id, seq),
      onEnded: (ended) => {
        this.#forget(running, address);
        if (address !== undefined) agents.acknowledgeEnd(address, execution.id);
        events.publish({ kind: 'execution_ended', execution, ended });
      },
      onTaken: () => this.#forget(running, address),
    });
    const isCancelled = execution.cancelRequestedAtMs !== undefined;
    const running: RunningExecution = { execution, live, definition, input: undefined, isCancelled };
    if (input !== undefined) this.provideInput(running, input);
    this.#remember(running, address);
    events.publish({ kind: 'execution_started', execution });
    return running;
  }

  /** Gives an execution the body that its command reads, unless it has one. */
  provideInput(running: RunningExecution, input: CallInput): InputStream {
    const { agents } = this.#deps;
    running.input ??= new InputStream(running.execution.id, input, (to, message) =>
      agents.input(to, message),
    );
    return running.input;
  }

  #remember(running: RunningExecution, address: AgentAddress | undefined): void {
    const { id, endpointId } = running.execution;
    this.#byId.set(id, running);
    this.#count(endpointId, 1);
    if (address === undefined) return;
    if (isHost(address)) add(this.#hostedByWorkspace, running.execution.workspaceId, 1);
    const key = keyOf(address);
    const ofAgent = this.#byAgent.get(key) ?? new Set();
    this.#byAgent.set(key, ofAgent.add(running));
  }

  #forget(running: RunningExecution, address: AgentAddress | undefined): void {
    const { id, endpointId } = running.execution;
    running.input?.close();
    this.#byId.delete(id);
    this.#count(endpointId, -1);
    if (address === undefined) return;
    if (isHost(address)) add(this.#hostedByWorkspace, running.execution.workspaceId, -1);
    const key = keyOf(address);
    const ofAgent = this.#byAgent.get(key);
    ofAgent?.delete(running);
    if (ofAgent?.size === 0) this.#byAgent.delete(key);
  }

  #count(endpointId: string, by: 1 | -1): void {
    add(this.#countByEndpoint, endpointId, by);
  }
}

/** Removes a key whose count is zero. */
function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** The agent of an execution; undefined before one was chosen. */
export function addressOf(execution: Started): AgentAddress | undefined {
  const { workspaceId, agentName, agentInstance } = execution;
  if (agentName === undefined || agentInstance === undefined) return undefined;
  const isHosted = agentName === HOSTED_AGENT;
  return { workspaceId: isHosted ? NO_WORKSPACE : workspaceId, name: agentName, instance: agentInstance };
}

/** The unit of the monthly quota that the execution took when it was queued (decision 46, plans and quotas). */
export function quotaOf({
  workspaceId,
  createdAtMs,
  queuedAtMs = createdAtMs,
  startedAtMs = queuedAtMs,
  agentName,
}: Pick<Taken, 'workspaceId' | 'createdAtMs' | 'queuedAtMs' | 'startedAtMs'> & {
  readonly agentName?: string | undefined;
}): QuotaClaim {
  const claim = { workspaceId, period: quotaPeriod(queuedAtMs), limit: undefined };
  if (agentName !== HOSTED_AGENT) return claim;
  // The quota of the hosted runner was taken when the execution began.
  const hosted = { period: hostedPeriod(startedAtMs), limit: undefined, concurrent: undefined };
  return { ...claim, hosted };
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}

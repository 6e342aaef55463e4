import { type Ended, rejectedBecause } from '@svc/core/execution/outcome';
import { DISPATCH_WAIT_MS, endedWaiting, type Hindrance } from '@svc/core/execution/waiting';
import { quotaOf, type RunningExecutions, type Started } from '../live/running-executions.ts';
import type { AgentProcess } from '../ports/agent-directory.ts';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Ports } from '../ports.ts';
import { untilAnswered } from '../until-answered.ts';
import { calledEndpoint } from './called-endpoint.ts';
import { restoreValues } from './restore-values.ts';
import { type OrderValues, recordedDefinition, runOrder } from './run-order.ts';

export type QueuePorts = Pick<
  Ports,
  'ledger' | 'clock' | 'endpoints' | 'agents' | 'vault' | 'secrets' | 'hubId'
> & {
  readonly reportBug: (error: unknown) => unknown;
  readonly executions: RunningExecutions;
};

/** How long one waits, and how it ends when no agent has taken it by then. */
export interface Patience {
  readonly untilMs: number;
  readonly late: (hindrance: Hindrance) => Ended;
}

interface Waiting {
  readonly execution: Started;
  readonly patience: Patience;
  hindrance: Hindrance;
}

interface Begun {
  readonly execution: Started;
  readonly definition: string | undefined;
}

/** What stands between an execution and its agent at this moment, or that nothing does. */
type Readiness =
  | { readonly kind: 'hindered'; readonly by: Hindrance }
  | { readonly kind: 'refused'; readonly ended: Ended }
  | { readonly kind: 'ready'; readonly process: AgentProcess; readonly values: OrderValues };

const DELETED = rejectedBecause('stale', 'not_found', 'its endpoint was deleted before it was dispatched');
const GONE = rejectedBecause('agent_offline', 'agent_offline', 'the agent went offline before it was told');

/**
 * Executions that are on record as `queued` and this hub's, with nobody on a connection for them: each is given to an agent
 * at once where one is there, else as soon as one comes (decision 24).
 *
 * It holds nothing that the store does not: after a restart, or at the hub that takes over, they are added again.
 */
export class ExecutionQueue {
  readonly #ports: QueuePorts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  /** Settles when it has been given to an agent, or is known to wait. The same one again counts once. */
  async add(execution: Started, patience: Patience = this.#usual()): Promise<void> {
    const { clock, executions, reportBug } = this.#ports;
    const { id } = execution;
    if (this.#waiting.has(id) || executions.find(id) !== undefined) return;
    const waiting: Waiting = { execution, patience, hindrance: 'no_agent' };
    if (patience.untilMs <= clock.nowMs()) return this.#end(execution, patience.late(waiting.hindrance));
    this.#waiting.set(id, waiting);
    clock.at(patience.untilMs, () => {
      if (this.#take(waiting)) this.#end(execution, patience.late(waiting.hindrance)).catch(reportBug);
    });
    await this.#try(waiting);
  }

  /** To be called when an agent has connected: what waits for one in its workspace. */
  async agentCame(workspaceId: string): Promise<void> {
    await this.#tryThose(({ execution }) => execution.workspaceId === workspaceId);
  }

  /** To be called when an execution has ended: there may be room now for another of its endpoint. */
  async hasRoom(endpointId: string): Promise<void> {
    if (this.#waiting.size === 0) return;
    await this.#tryThose(
      ({ execution, hindrance }) => hindrance === 'busy' && execution.endpointId === endpointId,
    );
  }

  /** NOTE: Thousands may wait, and thousands of agents come at once: each asks for its own alone. */
  async #tryThose(isMeant: (waiting: Waiting) => boolean): Promise<void> {
    await Promise.all([...this.#waiting.values()].filter(isMeant).map((waiting) => this.#try(waiting)));
  }

  #usual(): Patience {
    return { untilMs: this.#ports.clock.nowMs() + DISPATCH_WAIT_MS, late: endedWaiting };
  }

  /** Whoever takes it out of those that wait is the only one to go on with it. */
  #take({ execution: { id } }: Waiting): boolean {
    return this.#waiting.delete(id);
  }

  async #try(waiting: Waiting): Promise<void> {
    const { execution } = waiting;
    const { clock, executions } = this.#ports;
    const target = await untilAnswered(clock, () => calledEndpoint(this.#ports, execution));
    if (target === undefined) {
      if (this.#take(waiting)) await this.#end(execution, DELETED);
      return;
    }
    const readiness = await this.#readiness(execution, target);
    if (readiness.kind === 'hindered') {
      waiting.hindrance = readiness.by;
      return;
    }
    if (!this.#take(waiting)) return;
    if (readiness.kind === 'refused') return this.#end(execution, readiness.ended);
    const giveBack = executions.hold(target.id);
    try {
      const begun = await this.#begin(execution, readiness.process);
      if (begun === undefined) return;
      // Nothing is awaited before its place is its own.
      this.#tell(readiness.process, begun, readiness.values);
    } finally {
      giveBack();
    }
    await this.#cancelIfAsked(execution.id);
  }

  async #readiness(execution: Started, target: RegisteredEndpoint): Promise<Readiness> {
    const { clock, agents, executions } = this.#ports;
    const name = agents.choose(target)?.name;
    if (name === undefined) return { kind: 'hindered', by: 'no_agent' };
    const restored = await untilAnswered(clock, () => restoreValues(this.#ports, execution, name, target));
    if (restored.kind === 'gone') return { kind: 'hindered', by: 'values_gone' };
    if (restored.kind === 'refused') {
      const { code, message } = restored.refusal;
      return { kind: 'refused', ended: rejectedBecause('refused', code, message) };
    }
    // From here on nothing is awaited: another may have come or gone while the values were read.
    const process = agents.choose(target);
    if (process?.name !== name) return { kind: 'hindered', by: 'no_agent' };
    const { maxConcurrent = Number.POSITIVE_INFINITY } = target.endpoint;
    if (executions.countOf(target.id) >= maxConcurrent) return { kind: 'hindered', by: 'busy' };
    return { kind: 'ready', process, values: restored.values };
  }

  /** `running` is stored before the frame leaves: a hub that dies between the two never dispatches twice. */
  async #begin(execution: Started, process: AgentProcess): Promise<Begun | undefined> {
    const { ledger, clock, hubId } = this.#ports;
    const { name, instance, boot } = process;
    const definition = await untilAnswered(clock, () => recordedDefinition(this.#ports, execution));
    const to = { name, instance, boot, hubId, nowMs: clock.nowMs() };
    if (!(await untilAnswered(clock, () => ledger.begin(execution.id, to)))) return undefined;
    const begun = { ...execution, hubId, agentName: name, agentInstance: instance, agentBoot: boot };
    return { execution: begun, definition };
  }

  #tell(process: AgentProcess, { execution, definition }: Begun, values: OrderValues): void {
    const { clock, executions, agents } = this.#ports;
    const { live } = executions.take(execution, definition);
    if (agents.run(process, runOrder(execution, values, definition))) return;
    live.finish(GONE, clock.nowMs(), 'refund');
  }

  /** Somebody may have done so after it had begun and before it was known here. */
  async #cancelIfAsked(id: string): Promise<void> {
    const { ledger, clock, executions } = this.#ports;
    const now = await untilAnswered(clock, () => ledger.find(id));
    if (now?.cancelAskedAtMs !== undefined) executions.cancel(id);
  }

  async #end(execution: Started, ended: Ended): Promise<void> {
    const { ledger, clock, executions } = this.#ports;
    const finish = { ...ended, executionId: execution.id, endedAtMs: clock.nowMs() };
    await untilAnswered(clock, async () => {
      const alerts = await executions.alertsOf(execution, finish);
      return await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution));
    });
  }
}

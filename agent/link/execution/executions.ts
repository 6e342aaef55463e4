import type { AgentFrameOf, ExecutionOrder, HubFrameOf } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Ending, Runner, RunningCommand } from '../../runner/runner.ts';
import type { Journal } from '../journal/journal.ts';
import type { Execution } from './execution.ts';
import { type Prepared, refused } from './prepare-launch.ts';
import { LruSet } from './recent-ids.ts';
import type { Uplink, Wire } from './uplink.ts';
import { wireEnding } from './wire-ending.ts';

export interface ExecutionsOptions {
  readonly runner: Runner;
  readonly journal: Journal;
  readonly uplink: Uplink;
  readonly prepare: (order: ExecutionOrder) => Prepared;
  /** A new execution, with a place for its output. */
  readonly create: (id: string) => Execution;
  /** What an earlier process left. */
  readonly left: readonly Execution[];
  /** Hears of what does not stop the agent: a disk that is full, a bug. */
  readonly onTrouble: (message: string, cause: unknown) => void;
}

type Refused = Extract<Prepared, { kind: 'refused' }>;

interface Started {
  readonly kind: 'started';
  readonly execution: Execution;
  readonly command: RunningCommand;
}

/** How many acknowledged ids are remembered at least, so that a late repetition of an order starts nothing. */
const MOST_FINISHED = 10_000;

/** All executions of an agent that run, or whose end the hub has not acknowledged. */
export class Executions {
  readonly #options: ExecutionsOptions;
  readonly #byId: Map<string, Execution>;
  readonly #running = new Set<RunningCommand>();
  readonly #finished = new LruSet(MOST_FINISHED);
  #isLeaving = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #delivered: PromiseWithResolvers<void> | undefined;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    this.#byId = new Map(options.left.map((execution) => [execution.id, execution]));
  }

  /** How many commands run. */
  get running(): number {
    return this.#running.size;
  }

  get inFlight(): AgentFrameOf<'hello'>['in_flight'] {
    return [...this.#byId.values()].map(({ id, output, end }) => ({
      execution_id: id,
      last_seq: output.lastSeq,
      ended: end !== undefined,
    }));
  }

  /** A hub is there: it gets what it lacks, and says what it does not want. */
  connected(wire: Wire, { resume, unknown }: HubFrameOf<'welcome'>): void {
    for (const id of unknown) this.#drop(id);
    this.#options.uplink.wire = wire;
    const stored = new Map(resume.map(({ execution_id, stored_seq }) => [execution_id, stored_seq]));
    // One that the hub passed over is sent from what it has acknowledged: what it has already, it drops.
    for (const execution of this.#byId.values()) execution.resume(stored.get(execution.id));
    this.#options.uplink.review();
  }

  disconnected(): void {
    const { uplink } = this.#options;
    uplink.wire = undefined;
    uplink.blocked.clear();
    uplink.review();
  }

  /** The network has room again. */
  drained(): void {
    this.#options.uplink.drained();
  }

  /** Starts it, once however often it is told (decision 24); what has ended already is told again. */
  run(order: ExecutionOrder): void {
    const { execution_id: id } = order;
    const known = this.#byId.get(id);
    if (known !== undefined) known.repeatEnd();
    else if (!this.#finished.has(id)) this.#begin(order);
  }

  cancel(id: string): void {
    this.#byId.get(id)?.command?.cancel();
  }

  acknowledge(id: string, seq: number): void {
    this.#byId.get(id)?.acknowledge(seq);
    this.#options.uplink.review();
  }

  /** The hub has the end on record. */
  acknowledgeEnd(id: string): void {
    const execution = this.#byId.get(id);
    if (execution?.end !== undefined) this.#forget(execution);
  }

  /** Orders are refused from now on; what runs goes on. */
  leave(): void {
    this.#isLeaving = true;
  }

  cancelAll(): void {
    for (const command of this.#running) command.cancel();
  }

  /** The hub accepts no more frames about these executions: the agent ends them and reports nothing. */
  abandonAll(): void {
    for (const id of [...this.#byId.keys()]) this.#drop(id);
  }

  /** Settles when nothing runs. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /** Settles when the hub has acknowledged every end. */
  delivered(): Promise<void> {
    if (this.#byId.size === 0) return Promise.resolve();
    this.#delivered ??= Promise.withResolvers<void>();
    return this.#delivered.promise;
  }

  /** What is on disk stays there for the next process. */
  close(): void {
    for (const { output } of this.#byId.values()) output.close();
  }

  #admit(): Refused | undefined {
    if (this.#isLeaving) return refused('leaving', 'the agent is stopping');
    if (this.#byId.size < LINK_LIMITS.inFlight) return undefined;
    return refused('busy', `the agent has ${LINK_LIMITS.inFlight} executions in flight`);
  }

  #begin(order: ExecutionOrder): void {
    const started = this.#start(order);
    if (started.kind === 'refused') {
      // Nothing ran, so nothing is remembered: a hub that misses this asks again, and is told again.
      const { ending } = started;
      this.#options.uplink.wire?.send({
        type: 'ended',
        execution_id: order.execution_id,
        last_seq: 0,
        ending,
      });
      return;
    }
    const { execution, command } = started;
    this.#byId.set(execution.id, execution);
    this.#running.add(command);
    command.ended.then(
      (ending) => this.#ended(execution, command, ending),
      (cause: unknown) => {
        this.#options.onTrouble('the output of a command could not be kept', cause);
        this.#ended(execution, command, { kind: 'lost', message: 'the agent could not keep its output' });
      },
    );
  }

  /** The id is in the journal before anything runs; where it cannot be, nothing does. */
  #start(order: ExecutionOrder): Started | Refused {
    const { journal, runner, create, prepare, onTrouble } = this.#options;
    const id = order.execution_id;
    try {
      const prepared = this.#admit() ?? prepare(order);
      if (prepared.kind === 'refused') return prepared;
      journal.started(id);
      const execution = create(id);
      const command = runner.start(prepared.launch, execution);
      execution.command = command;
      return { kind: 'started', execution, command };
    } catch (cause) {
      onTrouble(`"${order.endpoint}" could not be started`, cause);
      this.#strike(id);
      return refused('broken', 'the agent cannot start anything now: its log says why', 'unavailable');
    }
  }

  #ended(execution: Execution, command: RunningCommand, ending: Ending): void {
    this.#running.delete(command);
    if (this.#byId.has(execution.id)) this.#tellEnd(execution, ending);
    else this.#strike(execution.id);
    if (this.#running.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #tellEnd(execution: Execution, ending: Ending): void {
    if (ending.kind === 'exited' && ending.transformed?.kind === 'data') {
      execution.writeResult(ending.transformed.json);
    }
    const frame = execution.endWith(wireEnding(ending));
    this.#trying('the journal cannot be written', () =>
      this.#options.journal.ended(execution.id, { frame, output: execution.output.keep() }),
    );
    execution.flow();
  }

  /** The hub knows nothing of it, so nobody is left who could see or stop it. */
  #drop(id: string): void {
    const execution = this.#byId.get(id);
    if (execution === undefined) return;
    execution.abandon();
    this.#finish(execution);
    // One that runs stays in the journal until it has ended: what is left of it after a crash has to be swept.
    if (execution.end !== undefined || execution.command === undefined) this.#strike(execution.id);
  }

  #forget(execution: Execution): void {
    this.#finish(execution);
    this.#strike(execution.id);
    execution.output.drop();
  }

  #finish({ id }: Execution): void {
    this.#byId.delete(id);
    this.#finished.add(id);
    if (this.#byId.size > 0) return;
    this.#delivered?.resolve();
    this.#delivered = undefined;
  }

  #strike(id: string): void {
    this.#trying('the journal cannot be written', () => this.#options.journal.forgotten(id));
  }

  #trying(what: string, action: () => void): void {
    try {
      action();
    } catch (cause) {
      this.#options.onTrouble(what, cause);
    }
  }
}

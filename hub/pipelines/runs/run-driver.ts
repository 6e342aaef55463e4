import type { EventExecution } from '@svc/core/event/hub-event';
import { changedBy, STATE_EVENTS } from '@svc/core/event/state-change';
import type { Ended } from '@svc/core/execution/outcome';
import type { JsonObject } from '@svc/core/pipeline/reference/json-value';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import type { Graph } from '@svc/core/pipeline/run/graph';
import { type RetainedRun, retainedRun } from '@svc/core/pipeline/run/new-run';
import { pendingActions } from '@svc/core/pipeline/run/pending-actions';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { StepExecution } from '../../executions/execution-ports.ts';
import type { EventStream } from '../../platform/event-stream.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import { type ActDeps, dispatchStep, endStep } from './act-on-turn.ts';
import { type DriveDeps, DrivenRun, type LoadedRun } from './driven-run.ts';
import { type GraphDeps, readGraph } from './read-graph.ts';
import { wholeInput } from './run-input.ts';
import type { RunFacts } from './run-ports.ts';
import type { Turn } from './run-turn.ts';
import { type StepState, stepEvent } from './step-event.ts';

export type DriverDeps = DriveDeps & ActDeps & GraphDeps;

const RETRY_MS = 10_000;
const RUNS_PER_BATCH = 20;
/** A run stays in memory for this long, so that consecutive steps do not reload it. */
const EVICTED_AFTER_MS = 1_000;

/**
 * Drives every unfinished run of this hub. All its state is in the store: after a
 * restart, or at another hub, runs continue from there.
 */
export class RunDriver {
  readonly #deps: DriverDeps;
  readonly #driven = new Map<string, DrivenRun>();
  /** The run of each step, by execution. */
  readonly #runOf = new Map<string, string>();
  #isStopped = false;

  constructor(deps: DriverDeps) {
    this.#deps = deps;
  }

  /** Executions on this hub report their end directly; queued and pending ones are read again when their state has changed. */
  subscribe(stream: EventStream): void {
    stream.subscribe('execution_started', ({ execution }) => this.#started(execution));
    stream.subscribe('execution_ended', ({ execution, ended }) => this.#ended(execution, ended));
    stream.subscribe(STATE_EVENTS, (event) => this.#onExecutionChange(changedBy(event)));
    stream.subscribe('changed_elsewhere', ({ ids }) => {
      for (const id of ids) this.#onExecutionChange(id);
    });
  }

  /** The number of unfinished runs. */
  get count(): number {
    return this.#driven.size;
  }

  /** Called after a new run was stored. */
  begin(run: RunFacts, state: RetainedRun, graph: Graph): void {
    this.#drive({ run, state, graph, isCancelRequested: false });
  }

  /** Called after a cancellation was stored; no effect when another hub has the run. */
  cancel(runId: string): void {
    this.#driven.get(runId)?.enqueue({ kind: 'cancel_asked', atMs: this.#deps.clock.nowMs() });
  }

  /** Continues every run of an earlier process of this hub. */
  async recover(): Promise<void> {
    const { runs, hubId } = this.#deps;
    const ids = await runs.unfinished(hubId);
    // Runs may be large, so only a few are loaded at a time; waiting runs stay in the store.
    for (let from = 0; from < ids.length; from += RUNS_PER_BATCH) {
      await Promise.all(ids.slice(from, from + RUNS_PER_BATCH).map((id) => this.takeUp(id)));
      this.#evictIdle(0);
    }
    await this.poll();
  }

  /** Continues a run that the store assigns to this hub. */
  async takeUp(runId: string): Promise<void> {
    if (this.#driven.has(runId) || this.#isStopped) return;
    const loaded = await this.#loadedOrLater(runId);
    // A run that was claimed twice needs to be continued only once.
    if (this.#driven.has(runId)) return;
    if (loaded !== undefined && !hasRunEnded(loaded.state.head)) this.#drive(loaded);
  }

  /**
   * Polls for changes of other hubs: executions that they run, approvals that they decided, cancellations that they
   * stored. Called each second.
   */
  async poll(): Promise<void> {
    const { runs, hubId } = this.#deps;
    if (this.#driven.size === 0) return;
    const [moved, cancelled] = await Promise.all([runs.moved(hubId), runs.cancelRequests(hubId)]);
    for (const execution of moved) this.#onStepState(execution);
    for (const id of cancelled) this.cancel(id);
    this.#evictIdle(EVICTED_AFTER_MS);
  }

  /** Starts nothing more; settles when pending writes are stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#driven.values()].map((driven) => driven.stop()));
  }

  #drive(loaded: LoadedRun): void {
    if (this.#isStopped) return;
    const { clock } = this.#deps;
    const driven = new DrivenRun(
      this.#deps,
      {
        act: (of, turn) => this.#act(of, turn),
        load: (runId) => this.#load(runId),
        over: ({ id }, next) => {
          this.#forget(id);
          if (next === 'again') this.#takeUpLater(id);
        },
      },
      loaded,
    );
    this.#driven.set(driven.id, driven);
    const { graph, state, isCancelRequested } = loaded;
    // Cancellations come first, so that no unneeded step begins.
    if (isCancelRequested) this.cancel(driven.id);
    if (state.head.state === 'queued') driven.enqueue({ kind: 'started', atMs: clock.nowMs() });
    // Steps to start are stored with their executions; the recovery of executions starts them.
    for (const action of pendingActions(graph, state)) this.#carryOut(driven, action);
  }

  #evictIdle(idleMs: number): void {
    for (const driven of this.#driven.values()) driven.evictIfIdle(idleMs);
  }

  /** A run that cannot be read does not block the others. */
  async #loadedOrLater(runId: string): Promise<LoadedRun | undefined> {
    const { clock, reportBug } = this.#deps;
    try {
      return await untilAnswered(clock, () => this.#load(runId));
    } catch (error) {
      reportBug(error);
      this.#takeUpLater(runId);
      return undefined;
    }
  }

  async #load(runId: string): Promise<LoadedRun | undefined> {
    const { runs, hubId } = this.#deps;
    const found = await runs.find(runId);
    if (found === undefined || found.hubId !== hubId) return undefined;
    const graph = await readGraph(this.#deps, found);
    if (graph === undefined) return undefined;
    const { head, cancelAskedAtMs, ...run } = found;
    for (const execution of await runs.executions(runId)) this.#await(execution);
    const state = retainedRun({ input: await this.#inputOf(found), head, nodes: await runs.nodes(runId) });
    return { run, graph, state, isCancelRequested: cancelAskedAtMs !== undefined };
  }

  /** Throws when the master key of its input is missing, because no step may run without its values. */
  async #inputOf(run: RunFacts): Promise<JsonObject> {
    const { runs, vault } = this.#deps;
    const recorded = await runs.input(run.id);
    const input = recorded && wholeInput(vault, run, recorded);
    if (input === undefined) throw new Error(`the input of pipeline run ${run.id} cannot be read`);
    return input;
  }

  #act(driven: DrivenRun, { change, steps }: Turn): void {
    for (const step of steps) {
      this.#await(step.start.execution);
      dispatchStep(this.#deps, step);
    }
    for (const action of change.actions) this.#carryOut(driven, action);
  }

  #await({ id, state, step }: Pick<StepExecution, 'id' | 'state' | 'step'>): void {
    if (state === 'queued' || state === 'pending_approval') this.#runOf.set(id, step.runId);
  }

  /** A bug in this program. The run is retried with a delay, so that it neither stops nor keeps the hub busy. */
  #takeUpLater(runId: string): void {
    const { clock, reportBug } = this.#deps;
    clock.at(clock.nowMs() + RETRY_MS, () => {
      this.takeUp(runId).catch(reportBug);
    });
  }

  #forget(runId: string): void {
    this.#driven.delete(runId);
    for (const [id, of] of this.#runOf) if (of === runId) this.#runOf.delete(id);
  }

  #carryOut(driven: DrivenRun, action: Turn['change']['actions'][number]): void {
    if (action.kind === 'schedule_retry') driven.scheduleRetry(action);
    if (action.kind === 'cancel_step') this.#cancelStep(driven, action).catch(this.#deps.reportBug);
  }

  async #cancelStep(
    driven: DrivenRun,
    action: { readonly step: string; readonly attempt: number },
  ): Promise<void> {
    const execution = await endStep(this.#deps, driven.id, action);
    if (execution !== undefined) return this.#onStepState(execution);
    const { step, attempt } = action;
    driven.enqueue({
      kind: 'step_ended',
      atMs: this.#deps.clock.nowMs(),
      step,
      attempt,
      outcome: 'cancelled',
    });
  }

  #started({ step }: Pick<EventExecution, 'step'>): void {
    const driven = step && this.#driven.get(step.runId);
    // Most executions were stored as running from the beginning.
    if (step === undefined || driven?.knowsRunning(step.id)) return;
    driven?.enqueue({
      kind: 'step_started',
      atMs: this.#deps.clock.nowMs(),
      step: step.id,
      attempt: step.attempt,
    });
  }

  #ended({ id, step }: Pick<EventExecution, 'id' | 'step'>, { state, ...how }: Ended): void {
    if (step !== undefined) this.#onStepState({ id, step, state, ...how });
  }

  /** Handles a stored change of an execution. */
  #onExecutionChange(executionId: string): void {
    if (!this.#runOf.has(executionId)) return;
    const { clock, ledger, reportBug } = this.#deps;
    untilAnswered(clock, () => ledger.find(executionId))
      .then((found) => {
        if (found?.step !== undefined) this.#onStepState({ ...found, step: found.step });
      })
      .catch(reportBug);
  }

  #onStepState(execution: StepState): void {
    const { clock, reportBug } = this.#deps;
    const driven = this.#driven.get(execution.step.runId);
    if (driven === undefined) return;
    untilAnswered(clock, () => this.#eventOf(driven.run, execution))
      .then((event) => {
        if (event?.kind === 'step_ended') this.#runOf.delete(execution.id);
        if (event !== undefined) driven.enqueue(event);
      })
      .catch(reportBug);
  }

  async #eventOf(run: RunFacts, execution: StepState): Promise<RunEvent | undefined> {
    const { ledger, clock } = this.#deps;
    const graph = await readGraph(this.#deps, run);
    const node = graph?.nodes.get(execution.step.id);
    if (graph === undefined || node?.kind !== 'step') return undefined;
    const kept = { fields: node.keeps, maxBytes: graph.resultBytes };
    return await stepEvent(ledger, execution, kept, clock.nowMs());
  }
}

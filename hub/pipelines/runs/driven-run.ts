import type { RunAction } from '@svc/core/pipeline/run/action';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import type { Graph } from '@svc/core/pipeline/run/graph';
import type { RetainedRun } from '@svc/core/pipeline/run/new-run';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { ExecutionLedger } from '../../executions/execution-ports.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { ChangeStored, RunFacts } from './run-ports.ts';
import { decideTurn, type Turn, type TurnDeps } from './run-turn.ts';
import type { PipelineRuns } from './store/run-store.ts';

/** The state of a run, as stored. */
export interface LoadedRun {
  readonly run: RunFacts;
  readonly graph: Graph;
  readonly state: RetainedRun;
  readonly isCancelRequested: boolean;
}

export type DriveDeps = { readonly ledger: ExecutionLedger; readonly clock: Clock } & {
  readonly runs: PipelineRuns;
} & TurnDeps;

/** The callbacks of a run to its driver. */
export interface DriveHands {
  /** Acts on a stored change. */
  readonly act: (of: DrivenRun, turn: Turn) => void;
  /** Loads the run; undefined: another hub has it, or it was removed. */
  readonly load: (runId: string) => Promise<LoadedRun | undefined>;
  /** The run has ended or belongs to another hub; or it must be loaded `again`. */
  readonly over: (of: DrivenRun, next?: 'again') => void;
}

/**
 * One run at its hub. It handles events in turns, one after another, and stores each turn before it acts on it. Only
 * its hub changes it (decision 24, states and takeover).
 */
export class DrivenRun {
  readonly #deps: DriveDeps;
  readonly #hands: DriveHands;
  readonly #withdrawals = new Set<() => void>();
  readonly #run: RunFacts;
  /** Undefined while the run is evicted from memory. */
  #loaded: LoadedRun | undefined;
  #busyAtMs: number;
  #events: RunEvent[] = [];
  #turns: Promise<void> | undefined;
  #isOver = false;

  constructor(deps: DriveDeps, hands: DriveHands, loaded: LoadedRun) {
    this.#deps = deps;
    this.#hands = hands;
    this.#run = loaded.run;
    this.#loaded = loaded;
    this.#busyAtMs = deps.clock.nowMs();
  }

  get id(): string {
    return this.#run.id;
  }

  get run(): RunFacts {
    return this.#run;
  }

  /** Whether the run in memory has the step as running; it does not read the store. */
  knowsRunning(step: string): boolean {
    return this.#loaded?.state.nodes.get(step)?.state === 'running';
  }

  /**
   * Evicts a run without events, with its input and the outputs of its steps. It may wait for
   * a day or a month, and the store has everything.
   */
  evictIfIdle(idleMs: number): void {
    if (this.#turns === undefined && this.#deps.clock.nowMs() - this.#busyAtMs >= idleMs)
      this.#loaded = undefined;
  }

  /** Adds an event. Events during a turn share the next turn. */
  enqueue(event: RunEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#turns ??= this.#takeTurns();
  }

  /** Schedules the retry of a step. */
  scheduleRetry({ step, attempt, atMs }: Extract<RunAction, { kind: 'schedule_retry' }>): void {
    const { clock } = this.#deps;
    const withdraw = clock.at(atMs, () => {
      this.#withdrawals.delete(withdraw);
      this.enqueue({ kind: 'retry_due', atMs: Math.max(atMs, clock.nowMs()), step, attempt });
    });
    this.#withdrawals.add(withdraw);
  }

  /** Accepts no more events. Settles after the current turn. */
  async stop(): Promise<void> {
    this.#end();
    await this.#turns;
  }

  async #takeTurns(): Promise<void> {
    // Events of one turn of the event loop share a turn.
    await Promise.resolve();
    while (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      try {
        await this.#takeTurn(events);
      } catch (error) {
        this.#deps.reportBug(error);
        // The events are not stored, so the run starts again from the store and with the pending events.
        this.#leave('again');
      }
    }
    this.#turns = undefined;
    this.#busyAtMs = this.#deps.clock.nowMs();
  }

  async #takeTurn(events: readonly RunEvent[]): Promise<void> {
    for (let quotaLeft = Number.POSITIVE_INFINITY; !this.#isOver; ) {
      const loaded = await this.#awake();
      if (loaded === undefined) return;
      const turn = await decideTurn(this.#deps, { ...loaded, quotaLeft }, events);
      if (turn === undefined) return;
      const outcome = await this.#store(turn);
      if (outcome === 'stored') return this.#act(turn);
      giveUp(turn);
      await this.#reload(outcome === 'overtaken' ? turn.fromRevision : undefined);
      // Other runs count, too; decrease in any case, so that the loop ends.
      if (outcome === 'quota_exceeded')
        quotaLeft = Math.min(limitedCount(turn) - 1, await this.#quotaLeft(turn));
    }
  }

  async #store(turn: Turn): Promise<ChangeStored> {
    const { clock, runs } = this.#deps;
    const { fromRevision, change, along } = turn;
    try {
      return await untilAnswered(clock, () => runs.change(this.#run, fromRevision, change, along));
    } catch (error) {
      giveUp(turn);
      throw error;
    }
  }

  #act(turn: Turn): void {
    if (hasRunEnded(turn.change.head)) this.#leave();
    this.#hands.act(this, turn);
  }

  /** The decision was made on an outdated state, so the run is loaded again. */
  async #reload(overtakenAt?: number): Promise<void> {
    this.#loaded = undefined;
    const loaded = await this.#awake();
    if (loaded !== undefined && loaded.state.head.revision === overtakenAt)
      throw new Error('the store refused a change of a run that no other hub has changed');
  }

  /** Undefined when another hub has the run; this hub then drops it. */
  async #awake(): Promise<LoadedRun | undefined> {
    this.#loaded ??= await untilAnswered(this.#deps.clock, () => this.#hands.load(this.id));
    if (this.#loaded === undefined) this.#leave();
    return this.#loaded;
  }

  async #quotaLeft({ steps }: Turn): Promise<number> {
    const { ledger, clock } = this.#deps;
    const claim = steps.map(({ start }) => start.quota).find((quota) => quota?.limit !== undefined);
    if (claim?.limit === undefined) return Number.POSITIVE_INFINITY;
    return (
      claim.limit - (await untilAnswered(clock, () => ledger.quotaUsed(claim.workspaceId, claim.period)))
    );
  }

  #leave(next?: 'again'): void {
    this.#end();
    this.#hands.over(this, next);
  }

  #end(): void {
    this.#isOver = true;
    this.#events = [];
    for (const withdraw of this.#withdrawals) withdraw();
    this.#withdrawals.clear();
  }
}

/** The turn is not stored, so the reserved slots of its steps are released. */
function giveUp({ steps }: Turn): void {
  for (const { slot } of steps) slot?.release();
}

function limitedCount({ steps }: Turn): number {
  return steps.filter(({ start }) => start.quota?.limit !== undefined).length;
}

import type { Action } from '@svc/core/pipeline/run/action';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import type { Graph } from '@svc/core/pipeline/run/graph';
import type { RetainedRun } from '@svc/core/pipeline/run/new-run';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { ExecutionLedger } from '../../executions/execution-ports.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { ChangeStored, PipelineRunPorts, RunFacts } from './run-ports.ts';
import { decideTurn, type Turn, type TurnPorts } from './run-turn.ts';

/** A run that the hub has, as its store has it. */
export interface LoadedRun {
  readonly run: RunFacts;
  readonly graph: Graph;
  readonly state: RetainedRun;
  readonly isCancelAsked: boolean;
}

export type DrivePorts = { readonly ledger: ExecutionLedger; readonly clock: Clock } & PipelineRunPorts &
  TurnPorts;

/** What a run wants of whoever drives it. */
export interface DriveHands {
  /** Does what a change has brought: it is on record. */
  readonly act: (of: DrivenRun, turn: Turn) => void;
  /** The run as the store has it; undefined: it is another hub's, or there no more. */
  readonly load: (runId: string) => Promise<LoadedRun | undefined>;
  /** It has ended, or it is not this hub's any more; or what is on record of it has to be taken up `again`. */
  readonly over: (of: DrivenRun, next?: 'again') => void;
}

/**
 * One run at the hub that has it: events are taken one turn after the other, each turn is stored before it is acted on, and
 * nobody else changes it (decision 24).
 */
export class DrivenRun {
  readonly #ports: DrivePorts;
  readonly #hands: DriveHands;
  readonly #withdrawals = new Set<() => void>();
  readonly #run: RunFacts;
  /** Undefined while it rests: the store has it. */
  #loaded: LoadedRun | undefined;
  #busyAtMs: number;
  #events: RunEvent[] = [];
  #turns: Promise<void> | undefined;
  #isOver = false;

  constructor(ports: DrivePorts, hands: DriveHands, loaded: LoadedRun) {
    this.#ports = ports;
    this.#hands = hands;
    this.#run = loaded.run;
    this.#loaded = loaded;
    this.#busyAtMs = ports.clock.nowMs();
  }

  get id(): string {
    return this.#run.id;
  }

  get run(): RunFacts {
    return this.#run;
  }

  /** Whether it knows that the step runs, as far as it can say without being read again. */
  knowsRunning(step: string): boolean {
    return this.#loaded?.state.nodes.get(step)?.state === 'running';
  }

  /**
   * Where nothing has happened for so long, the run is let go of with its input and what its steps left behind: it may wait for
   * a day or a month, and the store has all of it.
   */
  rest(idleMs: number): void {
    if (this.#turns === undefined && this.#ports.clock.nowMs() - this.#busyAtMs >= idleMs)
      this.#loaded = undefined;
  }

  /** Something has happened to it. What comes while a turn is under way shares the next one. */
  tell(event: RunEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    this.#turns ??= this.#takeTurns();
  }

  /** Another try of a step, when its time has come. */
  scheduleRetry({ step, attempt, atMs }: Extract<Action, { kind: 'schedule_retry' }>): void {
    const { clock } = this.#ports;
    const withdraw = clock.at(atMs, () => {
      this.#withdrawals.delete(withdraw);
      this.tell({ kind: 'retry_due', atMs: Math.max(atMs, clock.nowMs()), step, attempt });
    });
    this.#withdrawals.add(withdraw);
  }

  /** Takes nothing more in; settles when the turn that is under way is over. */
  async stop(): Promise<void> {
    this.#end();
    await this.#turns;
  }

  async #takeTurns(): Promise<void> {
    // What is told in the same turn of the event loop belongs together.
    await Promise.resolve();
    while (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      try {
        await this.#takeTurn(events);
      } catch (error) {
        this.#ports.reportBug(error);
        // What was told is on no record: the run begins anew with what the store has, and with what it owes.
        this.#leave('again');
      }
    }
    this.#turns = undefined;
    this.#busyAtMs = this.#ports.clock.nowMs();
  }

  async #takeTurn(events: readonly RunEvent[]): Promise<void> {
    for (let quotaLeft = Number.POSITIVE_INFINITY; !this.#isOver; ) {
      const loaded = await this.#awake();
      if (loaded === undefined) return;
      const turn = await decideTurn(this.#ports, { ...loaded, quotaLeft }, events);
      if (turn === undefined) return;
      const outcome = await this.#store(turn);
      if (outcome === 'stored') return this.#act(turn);
      giveUp(turn);
      await this.#reload(outcome === 'overtaken' ? turn.fromRevision : undefined);
      // Others count as well: one less than before in any case, so that it comes to an end.
      if (outcome === 'quota_exceeded')
        quotaLeft = Math.min(limitedCount(turn) - 1, await this.#quotaLeft(turn));
    }
  }

  async #store(turn: Turn): Promise<ChangeStored> {
    const { clock, runs } = this.#ports;
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

  /** What was decided on is not so: the store says how it is. */
  async #reload(overtakenAt?: number): Promise<void> {
    this.#loaded = undefined;
    const loaded = await this.#awake();
    if (loaded !== undefined && loaded.state.head.revision === overtakenAt)
      throw new Error('a run was overtaken by nobody');
  }

  /** Undefined when it is not this hub's any more: then it is left. */
  async #awake(): Promise<LoadedRun | undefined> {
    this.#loaded ??= await untilAnswered(this.#ports.clock, () => this.#hands.load(this.id));
    if (this.#loaded === undefined) this.#leave();
    return this.#loaded;
  }

  async #quotaLeft({ steps }: Turn): Promise<number> {
    const { ledger, clock } = this.#ports;
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

/** Nothing of it is on record: its steps need no places. */
function giveUp({ steps }: Turn): void {
  for (const { slot } of steps) slot?.release();
}

function limitedCount({ steps }: Turn): number {
  return steps.filter(({ start }) => start.quota?.limit !== undefined).length;
}

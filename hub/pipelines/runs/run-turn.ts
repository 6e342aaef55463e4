import type { AlertEvent } from '@svc/core/alert/event';
import { pipelineAlert } from '@svc/core/alert/make-event';
import type { RunAction, StartStep } from '@svc/core/pipeline/run/action';
import { advance } from '@svc/core/pipeline/run/advance';
import type { Change } from '@svc/core/pipeline/run/draft';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import type { Graph } from '@svc/core/pipeline/run/graph';
import { applyRunChange, type RetainedRun } from '@svc/core/pipeline/run/new-run';
import type { NodeRecord } from '@svc/core/pipeline/run/state';
import { Refusal } from '@svc/core/refusal';
import { untilAnswered } from '../../platform/until-answered.ts';
import { isForGood, type PrepareDeps, type PreparedStep, prepareStep } from './prepare-step.ts';
import type { RunFacts, TurnWrites } from './run-ports.ts';

export type TurnDeps = PrepareDeps & { readonly reportBug: (error: unknown) => unknown };

/** The input of a turn. The turn updates `state`, which is invalid when the turn is not stored. */
export interface TurnOf {
  readonly run: RunFacts;
  readonly graph: Graph;
  readonly state: RetainedRun;
  /** The remaining monthly quota, as far as it is known. */
  readonly quotaLeft: number;
}

/** The result of a turn, as one change. It is stored as a whole and then acted on. */
export interface Turn {
  readonly fromRevision: number;
  readonly change: Change;
  readonly along: TurnWrites;
  readonly steps: readonly PreparedStep[];
}

type DoneLater = Exclude<RunAction, StartStep>;

/**
 * Decides the change of a run for these events and for events that follow at once: a step starts, waits
 * for an approval, or cannot be called. A step thus costs its run one commit. Undefined: nothing changes.
 */
export async function decideTurn(
  deps: TurnDeps,
  of: TurnOf,
  events: readonly RunEvent[],
): Promise<Turn | undefined> {
  const fromRevision = of.state.head.revision;
  const decision = new Decision(deps, of);
  try {
    await decision.takeAll(events);
  } catch (error) {
    decision.giveUp();
    throw error;
  }
  if (of.state.head.revision === fromRevision) return undefined;
  return { fromRevision, ...decision.made() };
}

class Decision {
  readonly #deps: TurnDeps;
  readonly #of: TurnOf;
  readonly #events: RunEvent[] = [];
  readonly #nodes = new Map<string, NodeRecord>();
  /** By step, because a step has at most one startable attempt in a turn. */
  readonly #steps = new Map<string, PreparedStep>();
  #later: DoneLater[] = [];
  #quotaLeft: number;

  constructor(deps: TurnDeps, of: TurnOf) {
    this.#deps = deps;
    this.#of = of;
    this.#quotaLeft = of.quotaLeft;
  }

  /** Uses a list instead of recursion, because each step may add events. */
  async takeAll(events: readonly RunEvent[]): Promise<void> {
    this.#events.push(...events);
    for (const event of this.#events) {
      const change = advance(this.#of.graph, this.#of.state, event);
      if (change === undefined) continue;
      applyRunChange(this.#of.state, change);
      for (const node of change.nodes) this.#nodes.set(node.id, node);
      for (const action of change.actions) await this.#carryOut(action);
    }
  }

  /** Releases the slots of a turn that is not stored. */
  giveUp(): void {
    for (const { slot } of this.#steps.values()) slot?.release();
  }

  made(): Omit<Turn, 'fromRevision'> {
    const steps = [...this.#steps.values()];
    const alerts = [...steps.flatMap((step) => step.alerts), ...this.#alertsOfEnd()];
    return {
      change: { head: this.#of.state.head, nodes: [...this.#nodes.values()], actions: this.#later },
      along: { steps: steps.map(({ start }) => start), alerts },
      steps,
    };
  }

  async #carryOut(action: RunAction): Promise<void> {
    if (action.kind === 'start_step') await this.#start(action);
    else if (action.kind === 'cancel_step' && this.#takeBack(action))
      this.#addStepEnd(action, { outcome: 'cancelled' });
    else this.#later.push(action);
  }

  async #start(action: StartStep): Promise<void> {
    try {
      const step = await untilAnswered(this.#deps.clock, () => prepareStep(this.#deps, this.#of.run, action));
      this.#keep(step);
    } catch (error) {
      this.#addStepEnd(action, { outcome: 'rejected', ...this.#reasonOf(error) });
    }
  }

  #keep(step: PreparedStep): void {
    const { execution, quota } = step.start;
    const { id, attempt } = execution.step;
    if (quota?.limit !== undefined) {
      if (this.#quotaLeft < 1) {
        step.slot?.release();
        const error = `the ${quota.limit} executions of this month are used up`;
        this.#addStepEnd({ step: id, attempt }, { outcome: 'rejected', error, isFinal: true });
        return;
      }
      this.#quotaLeft -= 1;
    }
    this.#steps.set(id, step);
    const about = { step: id, attempt, atMs: execution.createdAtMs };
    if (execution.state === 'running') this.#events.push({ kind: 'step_started', ...about });
    if (execution.state === 'pending_approval') this.#events.push({ kind: 'step_waiting', ...about });
  }

  /** Drops a step that would start in this turn. Nothing of it is stored, so nothing must be cancelled. */
  #takeBack({ step, attempt }: { readonly step: string; readonly attempt: number }): boolean {
    const prepared = this.#steps.get(step);
    if (prepared?.start.execution.step.attempt !== attempt) return false;
    prepared.slot?.release();
    this.#steps.delete(step);
    return true;
  }

  #addStepEnd(
    { step, attempt }: { readonly step: string; readonly attempt: number },
    how: Pick<Extract<RunEvent, { kind: 'step_ended' }>, 'outcome' | 'error' | 'isFinal'>,
  ): void {
    this.#events.push({ kind: 'step_ended', atMs: this.#deps.clock.nowMs(), step, attempt, ...how });
  }

  #reasonOf(error: unknown): { readonly error: string; readonly isFinal?: true } {
    if (error instanceof Refusal)
      return { error: error.message, ...(isForGood(error) ? { isFinal: true } : {}) };
    return { error: `internal error ${String(this.#deps.reportBug(error))}`, isFinal: true };
  }

  /** A cancelled run publishes no alert. */
  #alertsOfEnd(): AlertEvent[] {
    const { run, state } = this.#of;
    const { head } = state;
    if (head.state !== 'succeeded' && head.state !== 'failed') return [];
    const endedAtMs = head.endedAtMs ?? this.#deps.clock.nowMs();
    const base = { id: this.#deps.random.uuid(), workspaceId: run.workspaceId, atMs: endedAtMs };
    const data = {
      run_id: run.id,
      pipeline: run.slug,
      duration_ms: endedAtMs - (head.startedAtMs ?? endedAtMs),
      failed_step: head.stoppedBy ?? null,
      error: (head.stoppedBy === undefined ? undefined : state.nodes.get(head.stoppedBy)?.error) ?? null,
    };
    return [pipelineAlert(base, `pipeline.${head.state}`, data)];
  }
}

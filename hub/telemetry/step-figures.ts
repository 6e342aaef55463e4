import type { ExecutionFacts, HubEventOf } from '@svc/core/event/hub-event';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { LruMap } from '../platform/lru-map.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** More runs than a hub drives at a time. */
const MAX_RUNS = 100_000;

/** The time that pipeline runs take from the end of one step to the record of the next. */
export class StepFigures {
  readonly #figures: Figures;
  /** When the last step of each run ended, or the run began. */
  readonly #readyAtMs = new LruMap<string, number>(MAX_RUNS);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  runStarted(runId: string): void {
    this.#readyAtMs.set(runId, performance.now());
  }

  executionEnded({ step }: Pick<ExecutionFacts, 'step'>): void {
    if (step !== undefined) this.#readyAtMs.set(step.runId, performance.now());
  }

  runChanged({ run, head, steps }: HubEventOf<'run_changed'>): void {
    const sinceMs = hasRunEnded(head) ? this.#readyAtMs.take(run.id) : this.#readyAtMs.get(run.id);
    if (sinceMs === undefined) return;
    // A retry has waited on purpose.
    for (const { step } of steps) if (step.attempt === 1) this.#figures.stepOverhead.observeSince(sinceMs);
  }
}

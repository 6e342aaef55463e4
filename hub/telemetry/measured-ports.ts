import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { LruMap } from '../platform/lru-map.ts';
import type { Figures } from '../platform/metrics/figures.ts';
import { overriding } from '../platform/overriding.ts';
import type { Clock } from '../platform/world.ts';
import type { Schedules } from '../schedules/schedule-ports.ts';
import type { ExecutionFigures } from './execution-figures.ts';

/** The same ledger, which says how long its commits take. */
export function measuredLedger(
  figures: Figures,
  executions: ExecutionFigures,
  ledger: ExecutionLedger,
): ExecutionLedger {
  return overriding(ledger, {
    async accept(execution, quota, idempotency) {
      const beganAtMs = performance.now();
      const acceptance = await ledger.accept(execution, quota, idempotency);
      figures.accept.observeSince(beganAtMs);
      if (acceptance.kind === 'stored') executions.accepted(execution);
      return acceptance;
    },
    async finish(finish, lastChunks, refund) {
      const beganAtMs = performance.now();
      const isStored = await ledger.finish(finish, lastChunks, refund);
      figures.finish.observeSince(beganAtMs);
      return isStored;
    },
  });
}

/** The same schedules, which say how late fires are. */
export function measuredSchedules(figures: Figures, clock: Clock, schedules: Schedules): Schedules {
  return overriding(schedules, {
    async record(schedule, fires) {
      const outcome = await schedules.record(schedule, fires);
      const { start } = fires;
      if (outcome === 'stored' && start !== undefined)
        figures.scheduleLateness.observe((clock.nowMs() - start.execution.scheduledForMs) / 1000);
      return outcome;
    },
  });
}

/** The same line, which says how long those waited whose turn came. */
export function measuredQueue(figures: Figures, line: HostedQueue): HostedQueue {
  return overriding(line, {
    join(turn) {
      const joinedAtMs = performance.now();
      const begin: typeof turn.begin = async (host) => {
        const waitedMs = performance.now() - joinedAtMs;
        const outcome = await turn.begin(host);
        if (outcome === 'over') figures.hostedWait.observe(waitedMs / 1000);
        return outcome;
      };
      return line.join({ ...turn, begin });
    },
  });
}

/** The same bus, which says how long other hubs take to answer. */
export function measuredBus(figures: Figures, bus: Bus): Bus {
  return overriding(bus, {
    async ask(...question) {
      const askedAtMs = performance.now();
      const asked = await bus.ask(...question);
      if (asked.kind === 'answered') figures.busRoundTrip.observeSince(askedAtMs);
      return asked;
    },
  });
}

/** More runs than a hub drives at a time. */
const MOST_RUNS = 100_000;

/** How long runs of pipelines take from the end of one step to the record of the next. */
export class StepFigures {
  readonly #figures: Figures;
  /** When each run last went on. */
  readonly #wentOnAtMs = new LruMap<string, number>(MOST_RUNS);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  /** The end of an execution is on record. */
  ended({ step }: Pick<Started, 'step'>): void {
    if (step !== undefined) this.#wentOnAtMs.set(step.runId, performance.now());
  }

  measured(runs: PipelineRuns): PipelineRuns {
    return overriding(runs, {
      start: async (run, state, withRun) => {
        const outcome = await runs.start(run, state, withRun);
        if (outcome.kind === 'stored') this.#wentOnAtMs.set(run.id, performance.now());
        return outcome;
      },
      change: async (run, fromRevision, change, along) => {
        const outcome = await runs.change(run, fromRevision, change, along);
        if (outcome !== 'stored') return outcome;
        const sinceMs = hasRunEnded(change.head)
          ? this.#wentOnAtMs.take(run.id)
          : this.#wentOnAtMs.get(run.id);
        // One that is tried again has waited for it on purpose.
        for (const { execution } of along.steps)
          if (sinceMs !== undefined && execution.step.attempt === 1)
            this.#figures.stepOverhead.observeSince(sinceMs);
        return outcome;
      },
    });
  }
}

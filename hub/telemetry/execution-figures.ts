import type { EventExecution, HubEventOf, NewExecutionFacts } from '@svc/core/event/hub-event';
import type { Ended } from '@svc/core/execution/outcome';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { RecentMap } from '@svc/core/recent-map';
import type { AgentAddress } from '../agents/directory-ports.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** More than a hub runs at a time. An execution beyond the limit is not measured. */
const MAX_EXECUTIONS = 100_000;

interface Measurement {
  /** `performance.now()` when the execution was stored, later when its order was sent to the agent. */
  atMs: number;
  hasOutput: boolean;
}

/** Measures dispatch, first output, duration and overhead of executions. */
export class ExecutionFigures {
  readonly #figures: Figures;
  readonly #measurements = new RecentMap<string, Measurement>(MAX_EXECUTIONS);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  /** The execution is stored, and its order is about to be sent. */
  accepted({ id, state }: Pick<NewExecutionFacts, 'id' | 'state'>): void {
    if (state === 'running') this.#measurements.set(id, { atMs: performance.now(), hasOutput: false });
  }

  /** The order was sent to the agent. */
  started(executionId: string): void {
    const atMs = performance.now();
    const measurement = this.#measurements.get(executionId);
    if (measurement === undefined) {
      this.#measurements.set(executionId, { atMs, hasOutput: false });
      return;
    }
    this.#figures.dispatch.observe((atMs - measurement.atMs) / 1000);
    measurement.atMs = atMs;
  }

  /** The agent has sent output. */
  output(executionId: string): void {
    const measurement = this.#measurements.get(executionId);
    if (measurement === undefined || measurement.hasOutput) return;
    measurement.hasOutput = true;
    this.#figures.firstOutput.observeSince(measurement.atMs);
  }

  /** The end is stored. */
  ended({ id, agentName }: Pick<EventExecution, 'id' | 'agentName'>, { state, durationMs }: Ended): void {
    const measurement = this.#measurements.take(id);
    if (durationMs === undefined) return;
    const { executionDuration, overhead } = this.#figures;
    if (state in executionDuration)
      executionDuration[state as keyof typeof executionDuration].observe(durationMs / 1000);
    if (measurement === undefined) return;
    const runner = agentName === HOSTED_AGENT ? 'hosted' : 'agent';
    overhead[runner].observe((performance.now() - measurement.atMs - durationMs) / 1000);
  }
}

/** More runs than a hub drives at a time. */
const MAX_RUNS = 100_000;

/** The time that pipeline runs take from the end of one step to the record of the next. */
export class StepFigures {
  readonly #figures: Figures;
  /** `performance.now()` when the last step of each run ended, or when the run began. */
  readonly #readyAtMs = new RecentMap<string, number>(MAX_RUNS);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  runStarted(runId: string): void {
    this.#readyAtMs.set(runId, performance.now());
  }

  executionEnded({ step }: Pick<EventExecution, 'step'>): void {
    if (step !== undefined) this.#readyAtMs.set(step.runId, performance.now());
  }

  runChanged({ run, head, steps }: HubEventOf<'run_changed'>): void {
    const sinceMs = hasRunEnded(head) ? this.#readyAtMs.take(run.id) : this.#readyAtMs.get(run.id);
    if (sinceMs === undefined) return;
    // A retry waits on purpose.
    for (const { step } of steps) if (step.attempt === 1) this.#figures.stepOverhead.observeSince(sinceMs);
  }
}

/** More agents than are offline at a time. */
const MAX_OFFLINE_AGENTS = 100_000;

/** Measures how long agents are offline. */
export class AgentFigures {
  readonly #figures: Figures;
  readonly #goneAtMs = new RecentMap<string, number>(MAX_OFFLINE_AGENTS);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  gone(address: AgentAddress): void {
    this.#goneAtMs.set(keyOf(address), performance.now());
  }

  connected(address: AgentAddress): void {
    const goneAtMs = this.#goneAtMs.take(keyOf(address));
    if (goneAtMs !== undefined) this.#figures.absence.observeSince(goneAtMs);
  }
}

function keyOf({ workspaceId, name, instance }: AgentAddress): string {
  return `${workspaceId} ${name} ${instance}`;
}

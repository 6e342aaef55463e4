import type { ExecutionFacts, NewExecutionFacts } from '@svc/core/event/hub-event';
import type { Ended } from '@svc/core/execution/outcome';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { LruMap } from '../platform/lru-map.ts';
import type { Figures } from '../platform/metrics/figures.ts';

/** More than a hub runs at a time; what is forgotten is not measured. */
const MOST = 100_000;

interface ContainerRun {
  /** Of `performance.now()`: of its record, then of the order to its agent. */
  atMs: number;
  hasOutput: boolean;
}

/** Where executions are on their way, and how long they take for it. */
export class ExecutionFigures {
  readonly #figures: Figures;
  readonly #courses = new LruMap<string, ContainerRun>(MOST);

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  /** It is on record, and about to be given to its agent. */
  accepted({ id, state }: Pick<NewExecutionFacts, 'id' | 'state'>): void {
    if (state === 'running') this.#courses.set(id, { atMs: performance.now(), hasOutput: false });
  }

  /** It is given to its agent. */
  started(executionId: string): void {
    const atMs = performance.now();
    const course = this.#courses.get(executionId);
    if (course === undefined) {
      this.#courses.set(executionId, { atMs, hasOutput: false });
      return;
    }
    this.#figures.dispatch.observe((atMs - course.atMs) / 1000);
    course.atMs = atMs;
  }

  /** Its agent has sent some of its output. */
  output(executionId: string): void {
    const course = this.#courses.get(executionId);
    if (course === undefined || course.hasOutput) return;
    course.hasOutput = true;
    this.#figures.firstOutput.observeSince(course.atMs);
  }

  /** Its end is on record. */
  ended({ id, agentName }: Pick<ExecutionFacts, 'id' | 'agentName'>, { state, durationMs }: Ended): void {
    const course = this.#courses.take(id);
    if (durationMs === undefined) return;
    const { executionDuration, overhead } = this.#figures;
    if (state in executionDuration)
      executionDuration[state as keyof typeof executionDuration].observe(durationMs / 1000);
    if (course === undefined) return;
    const runner = agentName === HOSTED_AGENT ? 'hosted' : 'agent';
    overhead[runner].observe((performance.now() - course.atMs - durationMs) / 1000);
  }
}

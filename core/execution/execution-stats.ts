import type { ExecutionState } from './state.ts';

export const STATS_BUCKETS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type StatsBucket = keyof typeof STATS_BUCKETS;

/** More points than these no chart shows. */
const MOST_BUCKETS = 400;

/** Which time is looked at, and in pieces of which length; whole buckets of UTC. */
export interface StatsSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly bucketMs: number;
}

/** What ran in one piece of time. */
export interface BucketStats {
  readonly fromMs: number;
  readonly states: ReadonlyMap<ExecutionState, number>;
  /** Of those that have run: half of them took so long at most, and 95 in 100. Undefined: none has. */
  readonly duration: { readonly p50Ms: number; readonly p95Ms: number } | undefined;
}

interface Bucket {
  readonly states: Map<ExecutionState, number>;
  readonly durations: number[];
}

/** The span in whole buckets that holds both moments; undefined when it is empty, or of too many of them. */
export function statsSpan(fromMs: number, untilMs: number, bucket: StatsBucket): StatsSpan | undefined {
  const bucketMs = STATS_BUCKETS[bucket];
  const span = {
    fromMs: Math.floor(fromMs / bucketMs) * bucketMs,
    untilMs: Math.ceil(untilMs / bucketMs) * bucketMs,
    bucketMs,
  };
  const count = (span.untilMs - span.fromMs) / bucketMs;
  return count > 0 && count <= MOST_BUCKETS ? span : undefined;
}

/** Counts executions by the time at which they came to be. */
export class ExecutionStats {
  readonly #span: StatsSpan;
  readonly #buckets: readonly Bucket[];

  constructor(span: StatsSpan) {
    this.#span = span;
    const count = (span.untilMs - span.fromMs) / span.bucketMs;
    this.#buckets = Array.from({ length: count }, () => ({ states: new Map(), durations: [] }));
  }

  /** What is outside of the span is not counted. */
  add({
    atMs,
    state,
    durationMs,
  }: {
    readonly atMs: number;
    readonly state: ExecutionState;
    readonly durationMs: number | undefined;
  }): void {
    const bucket = this.#buckets[Math.floor((atMs - this.#span.fromMs) / this.#span.bucketMs)];
    if (bucket === undefined) return;
    bucket.states.set(state, (bucket.states.get(state) ?? 0) + 1);
    if (durationMs !== undefined) bucket.durations.push(durationMs);
  }

  /** Every bucket of the span, the oldest first, also those in which nothing ran. */
  result(): BucketStats[] {
    return this.#buckets.map(({ states, durations }, at) => ({
      fromMs: this.#span.fromMs + at * this.#span.bucketMs,
      states,
      duration: percentiles(durations),
    }));
  }
}

/** By the nearest rank: each is a duration that there was. */
function percentiles(durations: readonly number[]): BucketStats['duration'] {
  if (durations.length === 0) return undefined;
  const sorted = Float64Array.from(durations).sort();
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

import { DURATION_BUCKETS, durationOfBucket, NO_DURATION } from './duration-bucket.ts';
import type { ExecutionState } from './state.ts';

export const STATS_BUCKETS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type StatsBucket = keyof typeof STATS_BUCKETS;

/** The most points of a chart. */
const MAX_BUCKETS = 400;

/** A time span and the length of its buckets; whole buckets of UTC. */
export interface StatsSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly bucketMs: number;
}

/** The executions of one bucket. */
export interface BucketStats {
  readonly fromMs: number;
  readonly states: ReadonlyMap<ExecutionState, number>;
  /** The percentiles of those that ran, within 7 % (decision 63, statistics). Undefined: none ran. */
  readonly duration: { readonly p50Ms: number; readonly p95Ms: number } | undefined;
}

interface Bucket {
  readonly states: Map<ExecutionState, number>;
  /** The counts by bucket of duration. Undefined: none ran. */
  durations: Float64Array | undefined;
}

/** The span of whole buckets with both times; undefined if it is empty or has too many. */
export function statsSpan(fromMs: number, untilMs: number, bucket: StatsBucket): StatsSpan | undefined {
  const bucketMs = STATS_BUCKETS[bucket];
  const span = {
    fromMs: Math.floor(fromMs / bucketMs) * bucketMs,
    untilMs: Math.ceil(untilMs / bucketMs) * bucketMs,
    bucketMs,
  };
  const count = (span.untilMs - span.fromMs) / bucketMs;
  return count > 0 && count <= MAX_BUCKETS ? span : undefined;
}

/** Executions of one state that were created in one bucket of time. */
export interface CountedExecutions {
  readonly atMs: number;
  readonly state: ExecutionState;
  /** The bucket of a duration (duration-bucket.ts), how many are in it, the next bucket, how many, and so on. */
  readonly durations: readonly number[];
}

/** Adds up counts of executions by their time of creation. */
export class ExecutionCounts {
  readonly #span: StatsSpan;
  readonly #buckets: readonly Bucket[];

  constructor(span: StatsSpan) {
    this.#span = span;
    const count = (span.untilMs - span.fromMs) / span.bucketMs;
    this.#buckets = Array.from({ length: count }, () => ({ states: new Map(), durations: undefined }));
  }

  /** Ignores counts outside the span. */
  add({ atMs, state, durations }: CountedExecutions): void {
    const bucket = this.#buckets[Math.floor((atMs - this.#span.fromMs) / this.#span.bucketMs)];
    if (bucket === undefined) return;
    let total = bucket.states.get(state) ?? 0;
    for (let index = 0; index + 1 < durations.length; index += 2) {
      const [duration = NO_DURATION, count = 0] = [durations[index], durations[index + 1]];
      total += count;
      if (duration === NO_DURATION) continue;
      bucket.durations ??= new Float64Array(DURATION_BUCKETS);
      bucket.durations[duration] = (bucket.durations[duration] ?? 0) + count;
    }
    bucket.states.set(state, total);
  }

  /** Every bucket of the span, oldest first, including empty ones. */
  result(): BucketStats[] {
    return this.#buckets.map(({ states, durations }, at) => ({
      fromMs: this.#span.fromMs + at * this.#span.bucketMs,
      // Executions that were lost and later proved have been subtracted.
      states: new Map([...states].filter(([, count]) => count > 0)),
      duration: durations && percentiles(durations),
    }));
  }
}

/** By the nearest rank among the buckets of durations. */
function percentiles(durations: Float64Array): BucketStats['duration'] {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  const at = (share: number) => {
    let left = Math.ceil(share * total);
    const isReached = (count: number) => {
      left -= count;
      return left <= 0;
    };
    return durationOfBucket(durations.findIndex(isReached));
  };
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

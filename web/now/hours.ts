import type { Answer } from '../api/read.ts';
import { FAILED_STATES } from '../first-reads.ts';

type Bucket = Answer<'countExecutions'>['buckets'][number];

/** A bar: its counts, and their shares of the highest bar. */
export interface Hour {
  readonly from: string;
  readonly count: number;
  readonly failed: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly failedShare: number;
}

/** The bars of the chart; even one execution among thousands stays visible. */
export function hoursOf(buckets: readonly Pick<Bucket, 'from' | 'states'>[]): readonly Hour[] {
  const counted = buckets.map(({ from, states }) => ({
    from,
    count: Object.values(states).reduce((sum, count) => sum + count, 0),
    failed: FAILED_STATES.reduce((sum, state) => sum + (states[state] ?? 0), 0),
  }));
  const highest = Math.max(1, ...counted.map(({ count }) => count));
  return counted.map((hour) => ({
    ...hour,
    share: shareOf(hour.count, highest),
    failedShare: shareOf(hour.failed, highest),
  }));
}

const MIN_SHARE = 0.06;

function shareOf(count: number, highest: number): number {
  return count === 0 ? 0 : Math.max(MIN_SHARE, count / highest);
}

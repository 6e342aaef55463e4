import type { Answer } from '../api/read.ts';

type Bucket = Answer<'countExecutions'>['buckets'][number];

/** One bar: counts, and how high they are beside the highest. */
export interface Hour {
  readonly from: string;
  readonly count: number;
  readonly wrong: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly wrongShare: number;
}

const WRONG = ['failed', 'timed_out', 'lost', 'missed'] as const;

/** Bars from figures; even a single one among thousands can be seen. */
export function hoursOf(buckets: readonly Pick<Bucket, 'from' | 'states'>[]): readonly Hour[] {
  const counted = buckets.map(({ from, states }) => ({
    from,
    count: Object.values(states).reduce((sum, count) => sum + count, 0),
    wrong: WRONG.reduce((sum, state) => sum + (states[state] ?? 0), 0),
  }));
  const most = Math.max(1, ...counted.map(({ count }) => count));
  return counted.map((hour) => ({
    ...hour,
    share: shareOf(hour.count, most),
    wrongShare: shareOf(hour.wrong, most),
  }));
}

const LEAST = 0.06;

function shareOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(LEAST, count / most);
}

import { type BucketStats, ExecutionCounts, type StatsSpan } from '@svc/core/execution/execution-stats';
import type { CountedBy, ExecutionLedger, Statistics } from './execution-ports.ts';

export interface Counted extends Pick<Statistics, 'completeFromMs' | 'isPartial'> {
  readonly buckets: readonly BucketStats[];
}

/** What ran in a span of time, by buckets. */
export async function countExecutions(
  { ledger }: { readonly ledger: ExecutionLedger },
  of: CountedBy,
  span: StatsSpan,
): Promise<Counted> {
  const { counts, completeFromMs, isPartial } = await ledger.statistics(of, span);
  const stats = new ExecutionCounts(span);
  for (const one of counts) stats.add(one);
  return { buckets: stats.result(), completeFromMs, isPartial };
}

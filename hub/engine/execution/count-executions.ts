import { type BucketStats, ExecutionStats, type StatsSpan } from '@svc/core/execution/execution-stats';
import type { ExecutionOutcome, OutcomeFilter } from '../ports/executions.ts';
import type { Ports } from '../ports.ts';

/** What is read before others have their turn. */
const AT_ONCE = 4_000;
/** Half a second of work; beyond that the newest have to do. */
const MOST = 200_000;

type CountPorts = Pick<Ports, 'ledger' | 'clock'>;

export interface Counted {
  readonly buckets: readonly BucketStats[];
  /** What came to be before is not counted, or not all of it: there is too much of it. */
  readonly completeFromMs: number;
}

/** What ran in a span of time, by buckets. The newest are read first: they are there, however many there are. */
export async function countExecutions(
  { ledger, clock }: CountPorts,
  of: Pick<OutcomeFilter, 'workspaceId' | 'slug'>,
  span: StatsSpan,
): Promise<Counted> {
  const { fromMs, untilMs } = span;
  const stats = new ExecutionStats(span);
  let last: ExecutionOutcome | undefined;
  let count = 0;
  do {
    const after = last === undefined ? {} : { beforeId: last.id };
    const page = await ledger.outcomes({ ...of, fromMs, untilMs, limit: AT_ONCE, ...after });
    for (const one of page) stats.add(one);
    count += page.length;
    last = page.length < AT_ONCE ? undefined : page.at(-1);
    // A database in this process has read without letting anybody else in.
    await new Promise<void>((resolve) => clock.at(clock.nowMs(), resolve));
  } while (last !== undefined && count < MOST);
  return { buckets: stats.result(), completeFromMs: last?.atMs ?? fromMs };
}

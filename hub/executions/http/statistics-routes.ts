import {
  type BucketStats,
  ExecutionCounts,
  type StatsSpan,
  statsSpan,
} from '@svc/core/execution/execution-stats';
import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../../http/handler.ts';
import { seesSlug } from '../../http/principal.ts';
import { time } from '../../platform/http/json-response.ts';
import type { Clock } from '../../platform/world.ts';
import type { CountedBy, ExecutionLedger, Statistics } from '../execution-ports.ts';

interface StatisticsRoutesDeps {
  readonly clock: Clock;
  readonly ledger: ExecutionLedger;
}

/** No endpoint has it. */
const NO_SLUG = '-';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Executions over time, for charts. */
export function executionStatsRoutes(deps: StatisticsRoutesDeps): Pick<Handlers, 'countExecutions'> {
  return {
    async countExecutions({ acting, query: { from, until, bucket, endpoint } }) {
      const { workspace, rights } = acting;
      if (endpoint === undefined && rights?.isLimited)
        throw refuse('forbidden', 'endpoint: name one of those that you have rights on');
      // An endpoint that the principal may not view counts as one that is not there.
      const slug = endpoint === undefined || seesSlug(acting, endpoint) ? endpoint : NO_SLUG;
      // Executions of the current millisecond are included.
      const untilMs = until === undefined ? deps.clock.nowMs() + 1 : Date.parse(until);
      const fromMs = from === undefined ? untilMs - DAY_MS : Date.parse(from);
      const span = statsSpan(fromMs, untilMs, bucket);
      if (span === undefined)
        throw refuse(
          'invalid_argument',
          `from, until: a time of at most 400 times the bucket "${bucket}" expected`,
        );
      const of = { workspaceId: workspace.id, ...(slug === undefined ? {} : { slug }) };
      const { buckets, completeFromMs, isPartial } = await countExecutions(deps, of, span);
      return {
        from: time(span.fromMs),
        until: time(span.untilMs),
        bucket,
        buckets: buckets.map(({ fromMs: at, states, duration }) => ({
          from: time(at),
          states: Object.fromEntries(states),
          duration_ms: duration === undefined ? null : { p50: duration.p50Ms, p95: duration.p95Ms },
        })),
        complete_from: time(completeFromMs),
        ...(isPartial && { partial: true as const }),
      };
    },
  };
}

interface Counted extends Pick<Statistics, 'completeFromMs' | 'isPartial'> {
  readonly buckets: readonly BucketStats[];
}

/** Counts the executions of a time span, in buckets. */
async function countExecutions(
  { ledger }: { readonly ledger: ExecutionLedger },
  of: CountedBy,
  span: StatsSpan,
): Promise<Counted> {
  const { counts, completeFromMs, isPartial } = await ledger.statistics(of, span);
  const stats = new ExecutionCounts(span);
  for (const one of counts) stats.add(one);
  return { buckets: stats.result(), completeFromMs, isPartial };
}

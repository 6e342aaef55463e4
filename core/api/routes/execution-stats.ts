import { z } from 'zod';
import { STATS_BUCKETS, type StatsBucket } from '../../execution/execution-stats.ts';
import { EXECUTION_STATES } from '../../execution/state.ts';
import { byEndpoint, principal } from '../contract/access.ts';
import { json } from '../contract/answer.ts';
import { givenTime, oneOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const BUCKETS = Object.keys(STATS_BUCKETS) as [StatsBucket, ...StatsBucket[]];

const bucket = z
  .strictObject({
    from: TIME.describe('The start of the bucket. The next bucket begins at its end.'),
    states: z
      .partialRecord(z.enum(EXECUTION_STATES), z.int())
      .describe(
        'How many of the executions created in this bucket are in each state. Absent states have none.',
      ),
    duration_ms: z
      .strictObject({ p50: z.int(), p95: z.int() })
      .nullable()
      .describe(
        'The median and the 95th percentile of the executions that ran, both within 7 %. Null: none ran.',
      ),
  })
  .meta({ id: 'ExecutionBucket', description: 'The executions of one bucket of time.' });

const stats = z
  .strictObject({
    from: TIME,
    until: TIME,
    bucket: z.enum(BUCKETS),
    buckets: z.array(bucket).describe('All buckets from `from` to `until`, oldest first.'),
    complete_from: TIME.describe(
      'Executions created before this time are not counted, or not all of them. Usually the same as `from`.',
    ),
    partial: z
      .literal(true)
      .optional()
      .describe(
        '`complete_from` is later than `from`: minutes are counted from the newest 10,000 executions, hours and days from the newest 10,000 of those that have not ended, and after an upgrade older hours are still being counted.',
      ),
  })
  .meta({ id: 'ExecutionStats' });

/** The figures that charts show. */
export const executionStatsRouteRows = {
  countExecutions: {
    method: 'GET',
    path: '/executions/stats',
    summary: 'Count executions over time, with their durations',
    description: 'Counts by the time of creation, in at most 400 whole minutes, hours or days of UTC.',
    access: byEndpoint(principal('endpoint.view'), 'view'),
    query: z.strictObject({
      from: givenTime().optional().describe('Default: 24 hours before `until`.'),
      until: givenTime().optional().describe('Default: now.'),
      bucket: oneOf(BUCKETS).default('hour').describe('The length of a bucket.'),
      endpoint: z.string().optional().describe('Only executions of the endpoint with this slug.'),
    }),
    answers: {
      200: json('The figures.', stats, {
        from: '2026-11-20T12:00:00.000Z',
        until: '2026-11-20T13:00:00.000Z',
        bucket: 'hour',
        buckets: [
          {
            from: '2026-11-20T12:00:00.000Z',
            states: { succeeded: 1_180, failed: 4 },
            duration_ms: { p50: 310, p95: 1_950 },
          },
        ],
        complete_from: '2026-11-20T12:00:00.000Z',
      }),
    },
    refusals: ['invalid_argument'],
  },
} as const satisfies Routes;

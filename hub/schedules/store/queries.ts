import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import { EXECUTION_COLUMNS, firstValues } from '../../executions/store/row.ts';
import type { ExecutionRow } from '../../executions/store/table.ts';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { ScheduleRow } from './table.ts';

/** The largest limit of any plan; more registered schedules are not counted. */
const LARGEST_CAP = Math.max(...Object.values(PLAN_LIMITS).map(({ schedules = 0 }) => schedules));

type Place = Pick<ScheduleRow, 'endpoint_id'> & { readonly next_fire_at_ms: number };
type Seen = Place & Pick<ScheduleRow, 'expression'>;

export function scheduleQueries(database: Database) {
  return { ...readsOf(database), ...writesOf(database) };
}

function readsOf({ build }: Database) {
  const schedules = build
    .selectFrom('schedules')
    .select(['endpoint_id', 'workspace_id', 'expression', 'state', 'registered_at_ms', 'next_fire_at_ms'])
    // Stops at the largest limit, because a workspace may have thousands.
    .select(
      sql<number>`(select count(*) from (select 1 as one from schedules as other
        where other.workspace_id = schedules.workspace_id
        and (other.registered_at_ms, other.endpoint_id) < (schedules.registered_at_ms, schedules.endpoint_id)
        limit ${sql.lit(LARGEST_CAP)}) as few)`.as('earlier'),
    );
  const due = schedules.orderBy('next_fire_at_ms').orderBy('endpoint_id');
  return {
    ofWorkspace: reading((it: { workspace_id: string }) =>
      schedules
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('registered_at_ms')
        .orderBy('endpoint_id'),
    ),
    find: reading((it: { endpoint_id: string }) => schedules.where('endpoint_id', '=', it.endpoint_id)),
    due: reading((it: Place & { now_ms: number; limit: number }) =>
      due
        .where('next_fire_at_ms', '<=', it.now_ms)
        .where(
          sql<boolean>`(next_fire_at_ms, endpoint_id) > (cast(${it.next_fire_at_ms} as bigint), ${it.endpoint_id})`,
        )
        .limit(sql<number>`cast(${it.limit} as bigint)`),
    ),
    exists: reading((it: { id: string }) =>
      build.selectFrom('executions').select('id').where('id', '=', it.id),
    ),
  };
}

function writesOf({ build }: Database) {
  const overtaken = { unlessChanged: 'overtaken' } as const;
  /** NOTE: Each statement names the state that was read, so only one of two hubs advances the schedule. */
  const seen = (it: Seen) =>
    build
      .updateTable('schedules')
      .where('endpoint_id', '=', it.endpoint_id)
      .where('next_fire_at_ms', '=', it.next_fire_at_ms)
      .where('expression', '=', it.expression);
  /** A stored minute stays as it is. */
  const record = build.insertInto('executions').onConflict((conflict) => conflict.doNothing());
  return {
    advance: writing(
      (it: Seen & { to_ms: number | null }) => seen(it).set({ next_fire_at_ms: it.to_ms }),
      overtaken,
    ),
    start: writing((it: ExecutionRow) => record.values(firstValues(it)), { unlessChanged: 'fired_already' }),
    miss: writing((it: ExecutionRow) => record.values(slotsOf(it, EXECUTION_COLUMNS))),
    correct: writing(
      (it: Seen & { to_expression: string; to_ms: number | null }) =>
        seen(it).set({ expression: it.to_expression, next_fire_at_ms: it.to_ms }),
      overtaken,
    ),
    drop: writing(
      (it: Seen) =>
        build
          .deleteFrom('schedules')
          .where('endpoint_id', '=', it.endpoint_id)
          .where('expression', '=', it.expression),
      overtaken,
    ),
    pause: writing(
      (it: { endpoint_id: string }) =>
        build
          .updateTable('schedules')
          .set({ state: 'paused', next_fire_at_ms: null })
          .where('endpoint_id', '=', it.endpoint_id)
          .where('state', '=', 'active'),
      { unlessChanged: 'unchanged' },
    ),
    resume: writing(
      (it: Pick<ScheduleRow, 'endpoint_id' | 'expression'> & { to_ms: number | null }) =>
        build
          .updateTable('schedules')
          .set({ state: 'active', next_fire_at_ms: it.to_ms })
          .where('endpoint_id', '=', it.endpoint_id)
          .where('state', '=', 'paused')
          .where('expression', '=', it.expression),
      { unlessChanged: 'unchanged' },
    ),
  };
}

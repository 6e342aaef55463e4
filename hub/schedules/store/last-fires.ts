import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { LastFire } from '../schedule-ports.ts';

/** NOTE: Word for word the conditions of the partial indexes, so that each endpoint costs two look-ups. */
const FIRED = sql<boolean>`fire.scheduled_for_ms is not null and fire.state <> 'missed'`;
const MISSED = sql<boolean>`fire.state = 'missed'`;

/** Of each endpoint the last fire that started, and the last that did not. */
export async function lastFires(database: Database, endpointIds: readonly string[]) {
  const [fired, missed] = await Promise.all([
    lastOf(database, endpointIds, FIRED),
    lastOf(database, endpointIds, MISSED),
  ]);
  return { fired, missed };
}

async function lastOf(
  { build, rows }: Database,
  endpointIds: readonly string[],
  condition: typeof FIRED,
): Promise<ReadonlyMap<string, LastFire>> {
  if (endpointIds.length === 0) return new Map();
  const found = await rows(
    once(
      build
        .selectFrom('schedules')
        .innerJoin('executions', (join) =>
          join.on('executions.id', '=', (last) =>
            last
              .selectFrom('executions as fire')
              .select('fire.id')
              .whereRef('fire.endpoint_id', '=', 'schedules.endpoint_id')
              .where(condition)
              .orderBy('fire.scheduled_for_ms', 'desc')
              .limit(1),
          ),
        )
        .select(['schedules.endpoint_id', 'executions.id', 'scheduled_for_ms', 'executions.state', 'reason'])
        .where('schedules.endpoint_id', 'in', endpointIds),
    ),
  );
  return new Map(
    found.map((row) => [
      row.endpoint_id,
      {
        executionId: row.id,
        scheduledForMs: row.scheduled_for_ms ?? 0,
        state: row.state,
        reason: row.reason ?? undefined,
      },
    ]),
  );
}

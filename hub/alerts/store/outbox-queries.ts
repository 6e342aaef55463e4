import { MAX_IN_QUEUE } from '@svc/core/alert/delivery-queue';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { AlertDeliveryRow, AlertQueueRow } from './table.ts';

export const DELIVERY_COLUMNS = [
  'id',
  'workspace_id',
  'rule_id',
  'lane',
  'party',
  'event_id',
  'event_name',
  'event_at_ms',
  'slug',
  'agent_name',
  'data',
  'sealed_link',
  'callback_url',
  'state',
  'tries',
  'created_at_ms',
  'tried_at_ms',
  'next_at_ms',
  'response_status',
  'error',
] as const;
const QUEUE_COLUMNS = ['id', 'party', 'waiting', 'due_at_ms'] as const;

type Claimed = { readonly id: string; readonly until_ms: number };
type Tried = Pick<
  AlertDeliveryRow,
  'id' | 'state' | 'tried_at_ms' | 'next_at_ms' | 'response_status' | 'error'
>;

export function outboxQueries(database: Database) {
  return { ...ofQueues(database), ...ofDeliveries(database) };
}

/** NOTE: `id` is set to itself, because the first value of a contended statement identifies its row. */
function ofQueues({ build }: Database) {
  const expected = { unlessChanged: 'not_claimed', contended: true } as const;
  return {
    enter: writing(
      (it: AlertQueueRow) =>
        build
          .insertInto('alert_lanes')
          .values(slotsOf(it, QUEUE_COLUMNS))
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet((row) => ({
                waiting: row('alert_lanes.waiting', '+', 1),
                due_at_ms: row.fn.coalesce('alert_lanes.due_at_ms', 'excluded.due_at_ms'),
              }))
              .where('alert_lanes.waiting', '<', MAX_IN_QUEUE),
          ),
      { unlessChanged: 'full', contended: true },
    ),
    claim: writing(
      (it: Claimed & { readonly due_ms: number }) =>
        build
          .updateTable('alert_lanes')
          .set({ id: it.id, due_at_ms: it.until_ms })
          .where('id', '=', it.id)
          .where('due_at_ms', '=', it.due_ms),
      expected,
    ),
    postpone: writing(
      (it: Claimed & { readonly next_at_ms: number }) =>
        build
          .updateTable('alert_lanes')
          .set({ id: it.id, due_at_ms: it.next_at_ms })
          .where('id', '=', it.id)
          .where('due_at_ms', '=', it.until_ms),
      expected,
    ),
    /** Removes the first delivery from the queue: the next one is due at once. */
    leave: writing(
      (it: Claimed & { readonly now_ms: number }) =>
        build
          .updateTable('alert_lanes')
          .set({
            id: it.id,
            waiting: sql<number>`waiting - 1`,
            due_at_ms: sql<number>`case when waiting > 1 then cast(${it.now_ms} as bigint) end`,
          })
          .where('id', '=', it.id)
          .where('due_at_ms', '=', it.until_ms),
      expected,
    ),
    /** Clears the due time of an empty queue, unless a delivery has arrived since. */
    rest: writing(
      (it: Claimed & { readonly waiting: number }) =>
        build
          .updateTable('alert_lanes')
          .set({ id: it.id, waiting: 0, due_at_ms: null })
          .where('id', '=', it.id)
          .where('waiting', '=', it.waiting)
          .where('due_at_ms', '=', it.until_ms),
      { contended: true },
    ),
  };
}

function ofDeliveries({ build }: Database) {
  return {
    add: writing(
      (it: AlertDeliveryRow) => build.insertInto('alert_deliveries').values(slotsOf(it, DELIVERY_COLUMNS)),
      { ifExists: 'there_already' },
    ),
    first: reading((it: { queue: string }) =>
      build
        .selectFrom('alert_deliveries')
        .select(DELIVERY_COLUMNS)
        .where('lane', '=', it.queue)
        // The same condition as that of the partial index.
        .where(sql<boolean>`state = 'waiting'`)
        .orderBy('event_id')
        .limit(1),
    ),
    tried: writing((it: Tried) =>
      build
        .updateTable('alert_deliveries')
        .set((row) => ({
          ...slotsOf(it, ['state', 'tried_at_ms', 'next_at_ms', 'response_status', 'error']),
          tries: row('tries', '+', 1),
        }))
        .where('id', '=', it.id),
    ),
  };
}

import { cursorAfter, idOfCursor } from '../../platform/db/cursor.ts';
import type { Database } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { DeliveryFilter, LoggedDelivery } from '../alert-ports.ts';

/** The log of deliveries, newest first. */
export async function deliveryLog(
  database: Database,
  filter: DeliveryFilter,
): Promise<{ items: LoggedDelivery[]; nextCursor: string | undefined }> {
  // One extra row shows whether there is another page.
  const rows = await database.reader.rows(once(pageQuery(database, filter)));
  const page = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? page.at(-1) : undefined;
  return { items: page.map(loggedOf), nextCursor: last && cursorAfter(last.event_id) };
}

function pageQuery({ build }: Database, { workspaceId, ruleId, cursor, limit }: DeliveryFilter) {
  const page = build
    .selectFrom('alert_deliveries as d')
    // The mail outbox has the state of mailed alerts.
    .leftJoin('mails as m', 'm.id', 'd.id')
    .select([
      'd.id',
      'd.event_id',
      'd.event_name',
      'd.state',
      'd.tries',
      'd.created_at_ms',
      'd.tried_at_ms',
      'd.next_at_ms',
      'd.response_status',
      'd.error',
      'm.sent_at_ms as mail_sent_at_ms',
      'm.next_at_ms as mail_next_at_ms',
      'm.tries as mail_tries',
      'm.error as mail_error',
    ])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.rule_id', ruleId === undefined ? 'is' : '=', ruleId ?? null)
    .orderBy('d.event_id', 'desc')
    .limit(limit + 1);
  return cursor === undefined ? page : page.where('d.event_id', '<', idOfCursor(cursor));
}

type LogRow = ReturnType<typeof pageQuery> extends { execute(): Promise<(infer Row)[]> } ? Row : never;

function loggedOf(row: LogRow): LoggedDelivery {
  const common = { id: row.id, event: row.event_name, createdAtMs: row.created_at_ms };
  return row.state === 'mailed'
    ? { ...common, ...mailed(row) }
    : {
        ...common,
        state: row.state,
        tries: row.tries,
        triedAtMs: row.tried_at_ms ?? undefined,
        nextAtMs: row.next_at_ms ?? undefined,
        responseStatus: row.response_status ?? undefined,
        error: row.error ?? undefined,
      };
}

/** The mail outbox counts only failed attempts. */
function mailed(row: LogRow): Omit<LoggedDelivery, 'id' | 'event' | 'createdAtMs'> {
  const sentAtMs = row.mail_sent_at_ms ?? undefined;
  const isSent = sentAtMs !== undefined;
  return {
    state: isSent ? 'delivered' : 'waiting',
    tries: (row.mail_tries ?? 0) + (isSent ? 1 : 0),
    triedAtMs: sentAtMs,
    nextAtMs: isSent ? undefined : (row.mail_next_at_ms ?? undefined),
    responseStatus: undefined,
    error: isSent ? undefined : (row.mail_error ?? undefined),
  };
}

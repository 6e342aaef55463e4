import { cursorAfter, idOfCursor } from '../../../platform/db/cursor.ts';
import type { Database } from '../../../platform/db/database.ts';
import { boundedScan, type Way } from '../../../platform/db/reading/bounded-scan.ts';
import { equal, walkOf } from '../../../platform/db/reading/walk.ts';
import { once } from '../../../platform/db/unit/precompile.ts';
import type { Page } from '../../../platform/page-of-items.ts';
import type { PipelineRun, RunFilter } from '../run-ports.ts';
import { RUN_COLUMNS, runOf } from './row.ts';

type Readable = Pick<Database, 'build' | 'reader'>;

/** Lists runs, newest first. A filter by one column uses its index; several columns use the shortest of their indexes. */
export async function runPage(database: Readable, filter: RunFilter): Promise<Page<PipelineRun>> {
  const conditions = conditionsOf(filter);
  if (conditions.length < 2) return await byIndex(database, filter);
  const before = filter.cursor === undefined ? undefined : idOfCursor(filter.cursor);
  const ways = waysOf(database, filter.workspaceId, conditions);
  const { keys, next, isPartial } = await boundedScan(database.reader, ways, { before, limit: filter.limit });
  const rows = keys.length === 0 ? [] : await database.reader.rows(byIds(database, keys));
  return { items: rows.map(runOf), nextCursor: next && cursorAfter(next), isPartial };
}

async function byIndex(database: Readable, filter: RunFilter): Promise<Page<PipelineRun>> {
  const { limit } = filter;
  // One extra row shows whether there are more.
  const rows = await database.reader.rows(once(listing(database, filter).limit(limit + 1)));
  const items = rows.slice(0, limit).map(runOf);
  const last = items.at(-1);
  const nextCursor = last && rows.length > limit ? cursorAfter(last.id) : undefined;
  return { items, nextCursor, isPartial: false };
}

function byIds({ build }: Readable, ids: readonly string[]) {
  return once(
    build.selectFrom('pipeline_runs').select(RUN_COLUMNS).where('id', 'in', ids).orderBy('id', 'desc'),
  );
}

/** The columns of a filter, each with an index in the order of the ids. */
function conditionsOf({ slug, state, callerId }: RunFilter) {
  const columns = [
    ['slug', slug],
    ['state', state],
    ['caller_id', callerId],
  ] as const;
  return columns.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
}

function listing({ build }: Readable, filter: RunFilter) {
  let query = build
    .selectFrom('pipeline_runs')
    .select(RUN_COLUMNS)
    .where('workspace_id', '=', filter.workspaceId)
    .orderBy('id', 'desc');
  for (const [column, value] of conditionsOf(filter)) query = query.where(column, '=', value);
  return filter.cursor === undefined ? query : query.where('id', '<', idOfCursor(filter.cursor));
}

function waysOf(
  database: Readable,
  workspaceId: string,
  conditions: ReturnType<typeof conditionsOf>,
): Way<string>[] {
  const matching = conditions.flatMap(([column, value]) => equal(`t.${column}`, value));
  return conditions.map(([column, value]) => {
    const along = [...equal('workspace_id', workspaceId), ...equal(column, value)];
    return [walkOf<string>(database, { table: 'pipeline_runs', key: 'id', along, matching })];
  });
}

import { sql } from 'kysely';
import { EXECUTION_COLUMNS, firstValues } from '../../../executions/store/row.ts';
import type { ExecutionRow } from '../../../executions/store/table.ts';
import type { Database } from '../../../platform/db/database.ts';
import { boundedScan, type Way } from '../../../platform/db/reading/bounded-scan.ts';
import { cursorAfter, equal, idOfCursor, walkOf } from '../../../platform/db/reading/walk.ts';
import { once, reading, slotsOf, writing } from '../../../platform/db/unit/precompile.ts';
import type { PageOfItems } from '../../../platform/page-of-items.ts';
import type { PipelineRun, RunFilter } from '../run-ports.ts';
import { HEAD_COLUMNS, type HeadRow, NODE_COLUMNS, RUN_COLUMNS, runOf } from './row.ts';
import type { PipelineNodeRow, PipelineRunInputRow, PipelineRunRow } from './table.ts';

/** NOTE: The conditions must match the partial indexes literally; otherwise SQLite scans the whole table. */
const IS_UNFINISHED = sql<boolean>`pipeline_runs.state in ('queued', 'running', 'waiting_approval')`;
const UNFINISHED = ['queued', 'running', 'waiting_approval'] as const;
const IS_AWAITING = sql<boolean>`pipeline_nodes.awaits = 1`;

/** Executions whose state is newer than that of their node; queued ones do not count. */
const HAS_MOVED = sql<boolean>`(
  executions.state not in ('pending_approval', 'queued', 'running')
  or (executions.state = 'running' and pipeline_nodes.state <> 'running')
)`;

const INPUT_COLUMNS = ['run_id', 'input', 'sealed_input', 'sealed_secrets', 'sealed_request'] as const;

export function runQueries(database: Database) {
  return { ...readsOf(database), ...stepsOf(database), ...writesOf(database) };
}

function readsOf({ build }: Database) {
  const runs = build.selectFrom('pipeline_runs');
  const nodes = build.selectFrom('pipeline_nodes').select('record');
  const unfinished = runs.select('id').where(IS_UNFINISHED);
  return {
    find: reading((it: { id: string }) => runs.select(RUN_COLUMNS).where('id', '=', it.id)),
    input: reading((it: { run_id: string }) =>
      build
        .selectFrom('pipeline_run_inputs')
        .select(['input', 'sealed_input', 'sealed_secrets'])
        .where('run_id', '=', it.run_id),
    ),
    head: reading((it: { id: string }) => runs.select(['hub_id', ...HEAD_COLUMNS]).where('id', '=', it.id)),
    nodes: reading((it: { run_id: string; revision: number }) =>
      nodes
        .where('run_id', '=', it.run_id)
        .where('revision', '>', it.revision)
        .orderBy('revision')
        .orderBy('node'),
    ),
    sealedRequest: reading((it: { run_id: string }) =>
      build.selectFrom('pipeline_run_inputs').select('sealed_request').where('run_id', '=', it.run_id),
    ),
    unfinished: reading((it: { hub_id: string }) => unfinished.where('hub_id', '=', it.hub_id).orderBy('id')),
    cancelRequests: reading((it: { hub_id: string }) =>
      unfinished
        .where('hub_id', '=', it.hub_id)
        .where('cancel_asked_at_ms', 'is not', null)
        .where('stopping', 'is', null),
    ),
    unfinishedOf: reading((it: { workspace_id: string }) =>
      runs.select('id').where('workspace_id', '=', it.workspace_id).where('state', 'in', UNFINISHED),
    ),
    open: reading((it: { workspace_id: string; limit: number }) =>
      build
        .selectFrom(
          runs
            .select('id')
            .where('workspace_id', '=', it.workspace_id)
            .where('state', 'in', UNFINISHED)
            .limit(sql<number>`${it.limit}`)
            .as('open'),
        )
        .select(({ fn }) => fn.countAll().as('count')),
    ),
    owners: reading(() => runs.select('hub_id').distinct().where(IS_UNFINISHED).orderBy('hub_id')),
  };
}

function stepsOf({ build }: Database) {
  const columns = EXECUTION_COLUMNS.map((column) => `executions.${column}` as const);
  const ofRun = build.selectFrom('executions').select(EXECUTION_COLUMNS).orderBy('id');
  return {
    executions: reading((it: { run_id: string }) => ofRun.where('run_id', '=', it.run_id)),
    executionsOfStep: reading((it: { run_id: string; step: string }) =>
      ofRun.where('run_id', '=', it.run_id).where('step', '=', it.step),
    ),
    moved: reading((it: { hub_id: string }) =>
      build
        .selectFrom('pipeline_runs')
        .innerJoin('pipeline_nodes', 'pipeline_nodes.run_id', 'pipeline_runs.id')
        .innerJoin('executions', (join) =>
          join
            .onRef('executions.run_id', '=', 'pipeline_nodes.run_id')
            .onRef('executions.step', '=', 'pipeline_nodes.node')
            .onRef('executions.attempt', '=', 'pipeline_nodes.attempt'),
        )
        .select(columns)
        .where(IS_UNFINISHED)
        .where('pipeline_runs.hub_id', '=', it.hub_id)
        .where(IS_AWAITING)
        .where(HAS_MOVED),
    ),
  };
}

type Place = Pick<PipelineRunRow, 'id' | 'hub_id'> & { readonly from_revision: number };
type NodeChange = Pick<
  PipelineNodeRow,
  'run_id' | 'node' | 'revision' | 'state' | 'attempt' | 'awaits' | 'record'
>;

function writesOf({ build }: Database) {
  const update = build.updateTable('pipeline_runs');
  return {
    addRun: writing(
      (it: PipelineRunRow) => build.insertInto('pipeline_runs').values(slotsOf(it, RUN_COLUMNS)),
      { ifExists: 'started_already' },
    ),
    addInput: writing((it: PipelineRunInputRow) =>
      build.insertInto('pipeline_run_inputs').values(slotsOf(it, INPUT_COLUMNS)),
    ),
    eraseSecrets: writing((it: { run_id: string }) =>
      build
        .updateTable('pipeline_run_inputs')
        .set({ sealed_secrets: null })
        .where('run_id', '=', it.run_id)
        .where('sealed_secrets', 'is not', null),
    ),
    addNode: writing((it: PipelineNodeRow) =>
      build.insertInto('pipeline_nodes').values(slotsOf(it, NODE_COLUMNS)),
    ),
    /** NOTE: The condition includes the hub, so that a hub that was wrongly taken for dead changes nothing. */
    changeHead: writing(
      (it: Place & HeadRow) =>
        update
          .set(slotsOf(it, HEAD_COLUMNS))
          .where('id', '=', it.id)
          .where('hub_id', '=', it.hub_id)
          .where('revision', '=', it.from_revision),
      { unlessChanged: 'overtaken' },
    ),
    changeNode: writing((it: NodeChange) =>
      build
        .updateTable('pipeline_nodes')
        .set(slotsOf(it, ['revision', 'state', 'attempt', 'awaits', 'record']))
        .where('run_id', '=', it.run_id)
        .where('node', '=', it.node),
    ),
    addExecution: writing((it: ExecutionRow) => build.insertInto('executions').values(firstValues(it))),
    askCancel: writing(
      (it: { id: string; now_ms: number }) =>
        update
          .set({
            cancel_asked_at_ms: sql<number>`coalesce(cancel_asked_at_ms, cast(${it.now_ms} as bigint))`,
          })
          .where('id', '=', it.id)
          .where(IS_UNFINISHED),
      { unlessChanged: 'ended' },
    ),
    /** A run that the hub has already counts as claimed, because the answer to an earlier claim may be lost. */
    claim: writing(
      (it: { id: string; from_hub: string; to_hub: string }) =>
        update
          .set({ hub_id: it.to_hub })
          .where('id', '=', it.id)
          .where(({ eb, or }) => or([eb('hub_id', '=', it.from_hub), eb('hub_id', '=', it.to_hub)])),
      { unlessChanged: 'of_another' },
    ),
  };
}

type Readable = Pick<Database, 'build' | 'reader'>;

/** Lists runs, newest first. A filter by one column uses its index; several columns use the shortest of their indexes. */
export async function runPage(database: Readable, filter: RunFilter): Promise<PageOfItems<PipelineRun>> {
  const conditions = conditionsOf(filter);
  if (conditions.length < 2) return await byIndex(database, filter);
  const before = filter.cursor === undefined ? undefined : idOfCursor(filter.cursor);
  const ways = waysOf(database, filter.workspaceId, conditions);
  const { keys, next, isPartial } = await boundedScan(database.reader, ways, { before, limit: filter.limit });
  const rows = keys.length === 0 ? [] : await database.reader.rows(byIds(database, keys));
  return { items: rows.map(runOf), nextCursor: next && cursorAfter(next), isPartial };
}

async function byIndex(database: Readable, filter: RunFilter): Promise<PageOfItems<PipelineRun>> {
  const { limit } = filter;
  // One extra row shows whether there are more.
  const rows = await database.reader.rows(once(listing(database, filter).limit(limit + 1)));
  const items = rows.slice(0, limit).map(runOf);
  const last = items.at(-1);
  const nextCursor = last && rows.length > limit ? cursorAfter(last.id) : undefined;
  return { items, nextCursor, isPartial: false };
}

/** The number of failed nodes of these runs; a run without any has no row. */
export function countFailed({ build }: Pick<Database, 'build'>, ids: readonly string[]) {
  return once(
    build
      .selectFrom('pipeline_nodes')
      .select(({ fn }) => ['run_id', fn.countAll().as('count')])
      .where('run_id', 'in', ids)
      .where('state', '=', 'failed')
      .groupBy('run_id'),
  );
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

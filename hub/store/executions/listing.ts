import type { ExecutionState } from '@svc/core/execution/state';
import { sql } from 'kysely';
import type {
  Execution,
  ExecutionFilter,
  ExecutionOutcome,
  OutcomeFilter,
} from '../../engine/ports/executions.ts';
import { type Database, firstRow } from '../database.ts';
import { once } from '../unit/precompile.ts';
import { cursorAfter, idOfCursor } from './cursor.ts';
import { firstIdOf, timeOfId } from './first-id.ts';
import { EXECUTION_COLUMNS, executionOf } from './row.ts';

/** NOTE: Word for word the conditions of the partial indexes, used in their order: else SQLite would read the whole table. */
export const IS_UNFINISHED = sql<boolean>`state in ('queued', 'running')`;
const IS_UNHAPPY = sql<boolean>`state not in ('queued', 'running', 'succeeded')`;

/** So many executions are looked through for a page of those that no index finds: what a reader waits for stays short. */
const LOOKED_THROUGH = 10_000;

/** A result can be long, and no list shows it. */
const LISTED_COLUMNS = EXECUTION_COLUMNS.filter((column) => column !== 'data');

/** How executions are listed and counted: always along an index, and never further than a reader waits. */
export class Listing {
  readonly #database: Database;
  readonly #lookedThrough: number;

  constructor(database: Database, lookedThrough = LOOKED_THROUGH) {
    this.#database = database;
    this.#lookedThrough = lookedThrough;
  }

  async page(filter: ExecutionFilter): Promise<{ items: Execution[]; nextCursor: string | undefined }> {
    const { limit, states } = filter;
    const endId = isFoundByIndex(filter) ? undefined : await this.#end(filter);
    // One index has each state in the order of the ids, none has several: each is asked for, and the newest of all are taken.
    const queries = (states ?? [undefined]).map((state) =>
      // One more than asked for says whether there are more.
      once(listing(this.#database, filter, { state, endId }).limit(limit + 1)),
    );
    const found = (await Promise.all(queries.map((query) => this.#database.rows(query)))).flat();
    const rows = found.sort((a, b) => (a.id < b.id ? 1 : -1));
    const items = rows.slice(0, limit).map((row) => executionOf({ ...row, data: null }));
    const last = items.at(-1);
    if (last !== undefined && rows.length > limit) return { items, nextCursor: cursorAfter(last.id) };
    return { items, nextCursor: endId && cursorAfter(endId) };
  }

  /** The newest first; with how they ended, and nothing else. */
  async outcomes({ beforeId, limit, ...filter }: OutcomeFilter): Promise<ExecutionOutcome[]> {
    const cursor = beforeId === undefined ? {} : { cursor: cursorAfter(beforeId) };
    const query = within(this.#database, { ...filter, ...cursor })
      .select(['id', 'state', 'duration_ms'])
      .orderBy('id', 'desc')
      .limit(limit);
    const rows = await this.#database.rows(once(query));
    return rows.map(({ id, state, duration_ms: durationMs }) => ({
      id,
      atMs: timeOfId(id),
      state,
      durationMs: durationMs ?? undefined,
    }));
  }

  /** Where looking through ends; undefined when there are not so many. */
  async #end(filter: ExecutionFilter): Promise<string | undefined> {
    const query = within(this.#database, filter)
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(this.#lookedThrough - 1);
    return (await firstRow(this.#database, once(query)))?.id;
  }
}

/** Of what goes well there is too much for an index of its own, and so it is of triggers and agents. */
function isFoundByIndex({ trigger, agentName, states }: ExecutionFilter): boolean {
  return trigger === undefined && agentName === undefined && states?.includes('succeeded') !== true;
}

interface Part {
  readonly state: ExecutionState | undefined;
  readonly endId: string | undefined;
}

function listing(database: Database, filter: ExecutionFilter, { state, endId }: Part) {
  const { fromMs, ...rest } = filter;
  // Where looking through ends is never before the beginning: one bound is enough here, too.
  const range = endId === undefined && fromMs !== undefined ? { ...rest, fromMs } : rest;
  let query = within(database, range).select(LISTED_COLUMNS).orderBy('id', 'desc');
  if (state !== undefined) query = query.where('state', '=', state);
  const rare = state && rarity(state);
  if (rare !== undefined) query = query.where(rare);
  if (filter.trigger !== undefined) query = query.where('trigger', '=', filter.trigger);
  if (filter.agentName !== undefined) query = query.where('agent_name', '=', filter.agentName);
  if (endId !== undefined) query = query.where('id', '>=', endId);
  return query;
}

/** The condition of the partial index that holds the state; undefined for the one state that is not rare. */
function rarity(state: ExecutionState) {
  if (state === 'succeeded') return undefined;
  return state === 'queued' || state === 'running' ? IS_UNFINISHED : IS_UNHAPPY;
}

/** What indexes know of a filter: ids begin with the time, so that they are a range of time, too. */
function within(
  { build }: Database,
  { workspaceId, slug, callerId, fromMs, untilMs, cursor }: Omit<ExecutionFilter, 'limit'>,
) {
  let query = build.selectFrom('executions').where('workspace_id', '=', workspaceId);
  if (slug !== undefined) query = query.where('slug', '=', slug);
  if (callerId !== undefined) query = query.where('caller_id', '=', callerId);
  if (fromMs !== undefined) query = query.where('id', '>=', firstIdOf(fromMs));
  const before = [
    ...(untilMs === undefined ? [] : [firstIdOf(untilMs)]),
    ...(cursor === undefined ? [] : [idOfCursor(cursor)]),
  ].sort();
  // NOTE: One bound alone: of two SQLite begins at the first that is written, and walks to the other row by row.
  if (before[0] !== undefined) query = query.where('id', '<', before[0]);
  return query;
}

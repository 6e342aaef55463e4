import type { ExecutionState } from '@svc/core/execution/state';
import { sql } from 'kysely';
import { type Database, READ_BOUND, type ReadBound } from '../../platform/db/database.ts';
import { boundedScan, type Way } from '../../platform/db/reading/bounded-scan.ts';
import { type Condition, cursorAfter, equal, idOfCursor, walkOf } from '../../platform/db/reading/walk.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { PageOfItems } from '../../platform/page-of-items.ts';
import type { Execution, ExecutionFilter } from '../execution-ports.ts';
import { countedRange } from './counted-range.ts';
import { firstIdOf } from './first-id.ts';
import { EXECUTION_COLUMNS, executionOfRow } from './row.ts';

/** NOTE: The same text as the conditions of the partial indexes, in their order; otherwise SQLite scans the whole table. */
export const IS_UNFINISHED = sql<boolean>`state in ('queued', 'running')`;
const IS_UNHAPPY = sql<boolean>`state not in ('queued', 'running', 'succeeded')`;

/** Lists leave out the result, which can be long. */
const LISTED_COLUMNS = EXECUTION_COLUMNS.filter((column) => column !== 'data');

/**
 * Lists executions along an index, and never scans more rows than the bound of one read (decision 20, asynchronous calls
 * and records).
 */
export class Listing {
  readonly #database: Pick<Database, 'build' | 'reader'>;
  readonly #bound: ReadBound;

  constructor(database: Pick<Database, 'build' | 'reader'>, bound = READ_BOUND) {
    this.#database = database;
    this.#bound = bound;
  }

  page(filter: ExecutionFilter): Promise<PageOfItems<Execution>> {
    return isFoundByIndex(filter) ? this.#byIndex(filter) : this.#byScan(filter);
  }

  async #byIndex(filter: ExecutionFilter): Promise<PageOfItems<Execution>> {
    const { limit, states } = filter;
    // The index has each state in the order of ids, but not several states together. So the newest of each state are read
    // and merged.
    const queries = (states ?? [undefined]).map((state) =>
      // One extra row shows whether there are more.
      once(listing(this.#database, filter, state).limit(limit + 1)),
    );
    const found = (await Promise.all(queries.map((query) => this.#database.reader.rows(query)))).flat();
    const rows = found.sort((a, b) => (a.id < b.id ? 1 : -1));
    const items = rows.slice(0, limit).map((row) => executionOfRow({ ...row, data: null }));
    const last = items.at(-1);
    const nextCursor = last !== undefined && rows.length > limit ? cursorAfter(last.id) : undefined;
    return { items, nextCursor, isPartial: false };
  }

  async #byScan(asked: ExecutionFilter): Promise<PageOfItems<Execution>> {
    const counted = await countedRange(this.#database, asked);
    if (counted === 'none') return { items: [], nextCursor: undefined, isPartial: false };
    const filter = counted === undefined ? asked : within(asked, counted);
    const page = { before: firstBefore(filter), limit: filter.limit, bound: this.#bound };
    const ways = waysOf(this.#database, filter);
    const { keys, next, isPartial } = await boundedScan(this.#database.reader, ways, page);
    return { items: await this.byIds(keys), nextCursor: next && cursorAfter(next), isPartial };
  }

  /** These executions, newest first. */
  async byIds(ids: readonly string[]): Promise<Execution[]> {
    if (ids.length === 0) return [];
    const query = this.#database.build.selectFrom('executions').select(LISTED_COLUMNS).where('id', 'in', ids);
    const rows = await this.#database.reader.rows(once(query));
    return rows.sort((a, b) => (a.id < b.id ? 1 : -1)).map((row) => executionOfRow({ ...row, data: null }));
  }
}

/** The same filter, for no more than this time. */
function within(
  filter: ExecutionFilter,
  { fromMs, untilMs }: Required<Pick<ExecutionFilter, 'fromMs' | 'untilMs'>>,
): ExecutionFilter {
  return {
    ...filter,
    fromMs: Math.max(filter.fromMs ?? fromMs, fromMs),
    untilMs: Math.min(filter.untilMs ?? untilMs, untilMs),
  };
}

/**
 * One index answers the whole filter. It has each state by itself, except `succeeded`, whose index would contain nearly all rows, and
 * the two unfinished states, which share one: a few queued executions may stand behind many running ones.
 */
function isFoundByIndex({ slug, callerId, states, ...others }: ExecutionFilter): boolean {
  const { slugs, trigger, agentName, argument } = others;
  if ([slugs, trigger, agentName, argument].some((condition) => condition !== undefined)) return false;
  if (states?.some((state) => state === 'succeeded' || isUnfinished(state))) return false;
  return [slug, callerId, states].filter((condition) => condition !== undefined).length < 2;
}

/** Every index that could answer the filter; which one is the shortest depends on the rows. */
function waysOf(database: Pick<Database, 'build'>, filter: ExecutionFilter): Way<string>[] {
  const { workspaceId, slug, callerId, states, fromMs } = filter;
  const range = [
    ...equal('workspace_id', workspaceId),
    ...(fromMs === undefined ? [] : [sql<boolean>`id >= ${firstIdOf(fromMs)}`]),
  ];
  const matching = matchingOf(filter);
  const walk = (along: readonly Condition[]) =>
    walkOf<string>(database, { table: 'executions', key: 'id', along: [...range, ...along], matching });
  const ways = [
    ...(slug === undefined ? [] : [[walk(equal('slug', slug))]]),
    ...(callerId === undefined ? [] : [[walk(equal('caller_id', callerId))]]),
    ...(states === undefined || states.includes('succeeded') ? [] : [rareIndexes(states).map(walk)]),
  ];
  return ways.length === 0 ? [[walk([])]] : ways;
}

/** The conditions of a filter besides workspace and time; they name columns as `t.column`. */
export function matchingOf({
  slug,
  slugs,
  callerId,
  states,
  trigger,
  agentName,
  argument,
}: ExecutionFilter): Condition[] {
  return [
    ...equal('t.slug', slug),
    ...(slugs === undefined ? [] : [sql<boolean>`t.slug in (${sql.join(slugs)})`]),
    ...equal('t.caller_id', callerId),
    ...equal('t.trigger', trigger),
    ...equal('t.agent_name', agentName),
    ...(argument === undefined ? [] : [hasArgument(argument)]),
    ...(states === undefined ? [] : [sql<boolean>`t.state in (${sql.join(states)})`]),
  ];
}

/**
 * The record holds the values as one JSON object, whose members stand in it as `"name":"value"`. Quotes within a value are
 * escaped, so no value can look like a member. Both databases have `replace`, which is case-sensitive.
 */
function hasArgument({ name, value }: NonNullable<ExecutionFilter['argument']>): Condition {
  const member = JSON.stringify({ [name]: value }).slice(1, -1);
  return sql<boolean>`replace(t.args, ${member}, '') <> t.args`;
}

/** The conditions of the partial indexes of these states. */
function rareIndexes(states: readonly ExecutionState[]): Condition[][] {
  const unhappy = states.filter((state) => !isUnfinished(state));
  return [
    ...(unhappy.length < states.length ? [[IS_UNFINISHED]] : []),
    ...unhappy.map((state) => [...equal('state', state), IS_UNHAPPY]),
  ];
}

function isUnfinished(state: ExecutionState): boolean {
  return state === 'queued' || state === 'running';
}

function listing(
  { build }: Pick<Database, 'build'>,
  filter: ExecutionFilter,
  state: ExecutionState | undefined,
) {
  const { workspaceId, slug, callerId, fromMs } = filter;
  let query = build
    .selectFrom('executions')
    .select(LISTED_COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc');
  if (slug !== undefined) query = query.where('slug', '=', slug);
  if (callerId !== undefined) query = query.where('caller_id', '=', callerId);
  if (fromMs !== undefined) query = query.where('id', '>=', firstIdOf(fromMs));
  if (state !== undefined) query = query.where('state', '=', state).where(IS_UNHAPPY);
  // NOTE: A single bound: with two, SQLite starts at the first one written and walks to the other row by row.
  const before = firstBefore(filter);
  return before === undefined ? query : query.where('id', '<', before);
}

/** Ids begin with the time, so a time and a cursor both become an id before which the page begins. */
function firstBefore({ untilMs, cursor }: ExecutionFilter): string | undefined {
  const bounds = [
    ...(untilMs === undefined ? [] : [firstIdOf(untilMs)]),
    ...(cursor === undefined ? [] : [idOfCursor(cursor)]),
  ];
  return bounds.sort()[0];
}

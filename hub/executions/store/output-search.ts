import { searchWords } from '@svc/core/output-search/words';
import { refuse } from '@svc/core/refusal';
import { type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { type Condition, cursorAfter, equal, idOfCursor } from '../../platform/db/reading/walk.ts';
import { once, type Query } from '../../platform/db/unit/precompile.ts';
import type { PageOfItems } from '../../platform/page-of-items.ts';
import type { Execution, ExecutionFilter } from '../execution-ports.ts';
import { firstIdOf, timeOfId } from './first-id.ts';
import { type Listing, matchingOf } from './listing.ts';

/** Entries of the index that one read takes, and that one search takes at most. */
const PIECE = 200;
const MAX_ENTRIES = 1_000;
const MAX_MS = 100;
const MAX_WORDS = 10;
/** Document numbers in one millisecond. */
export const NUMBERS_PER_MS = 2_048;

/** A word that no output has: it holds a character that is no part of words. */
export function workspaceWord(workspaceId: string): string {
  return `:${workspaceId.replaceAll('-', '')}`;
}

export function isOnSqlite({ build }: Pick<Database, 'build'>): boolean {
  return build.getExecutor().adapter instanceof SqliteAdapter;
}

interface Entry {
  /** The place of the entry: its number on SQLite, its execution on PostgreSQL. */
  readonly key: string | number;
  readonly id: string;
  /** It matches all other filters. */
  readonly is_match: number;
}

/**
 * Searches the index of words in stored output, newest executions first. One search reads a bounded number of entries, for a
 * bounded time (decision 62, reads apart from calls).
 */
export class OutputSearch {
  readonly #database: Pick<Database, 'build' | 'reader'>;
  readonly #listing: Pick<Listing, 'byIds'>;
  readonly #isSqlite: boolean;

  constructor(database: Pick<Database, 'build' | 'reader'>, listing: Pick<Listing, 'byIds'>) {
    this.#database = database;
    this.#listing = listing;
    this.#isSqlite = isOnSqlite(database);
  }

  /** The executions whose indexed output has all words of the query, in any order. Throws `invalid_argument` for none. */
  async page(filter: ExecutionFilter, query: string): Promise<PageOfItems<Execution>> {
    const words = searchWords(query);
    if (words.length === 0 || words.length > MAX_WORDS)
      throw refuse('invalid_argument', `output: 1 to ${MAX_WORDS} words of letters and digits expected`);
    const untilMs = performance.now() + MAX_MS;
    const match = this.#matchOf([workspaceWord(filter.workspaceId), ...words]);
    const found: Entry[] = [];
    let before = this.#firstBefore(filter);
    for (let read = 0; ; ) {
      const entries = await this.#database.reader.rows(this.#entries(filter, match, before));
      found.push(...entries.filter(({ is_match: isMatch }) => isMatch === 1));
      read += entries.length;
      before = entries.at(-1)?.key ?? before;
      if (found.length > filter.limit) return await this.#pageOf(found.slice(0, filter.limit), 'more');
      if (entries.length < PIECE) return await this.#pageOf(found, undefined);
      if (read >= MAX_ENTRIES || performance.now() > untilMs) return await this.#pageOf(found, 'cut', before);
    }
  }

  async #pageOf(
    found: readonly Entry[],
    rest: 'more' | 'cut' | undefined,
    end: Entry['key'] | undefined = found.at(-1)?.key,
  ): Promise<PageOfItems<Execution>> {
    const items = await this.#listing.byIds(found.map(({ id }) => id));
    const nextCursor = rest === undefined || end === undefined ? undefined : cursorAfter(String(end));
    return { items, nextCursor, isPartial: rest === 'cut' };
  }

  #firstBefore({ untilMs, cursor }: ExecutionFilter): Entry['key'] | undefined {
    const bounds: Entry['key'][] = [];
    if (untilMs !== undefined) bounds.push(this.#isSqlite ? untilMs * NUMBERS_PER_MS : firstIdOf(untilMs));
    if (cursor !== undefined) bounds.push(this.#keyOf(cursor));
    return bounds.sort((a, b) => (a < b ? -1 : 1))[0];
  }

  #keyOf(cursor: string): Entry['key'] {
    const key = idOfCursor(cursor);
    if (!this.#isSqlite) return key;
    if (/^\d{1,16}$/.test(key)) return Number(key);
    // The cursor of a list without a search.
    return Number.isNaN(timeOfId(key)) ? 0 : timeOfId(key) * NUMBERS_PER_MS;
  }

  #matchOf(words: readonly string[]): string {
    return this.#isSqlite
      ? words.map((word) => `"${word}"`).join(' AND ')
      : words.map((word) => `'${word}'`).join(' & ');
  }

  #entries(filter: ExecutionFilter, match: string, before: Entry['key'] | undefined): Query<Entry> {
    const { workspaceId, fromMs } = filter;
    const matching: Condition[] = [
      ...equal('t.workspace_id', workspaceId),
      ...(fromMs === undefined ? [] : [sql<boolean>`t.id >= ${firstIdOf(fromMs)}`]),
      ...matchingOf(filter),
    ];
    const entries = this.#isSqlite ? sqliteEntries(match, before) : postgresEntries(match, before);
    const text = sql`
      select found.key, found.id, (select count(*) from executions as t where t.id = found.id and ${sql.join(matching, sql` and `)}) as is_match
      from (${entries}) as found order by found.key desc`;
    return once({ compile: () => text.compile(this.#database.build) }) as Query<Entry>;
  }
}

function sqliteEntries(match: string, before: Entry['key'] | undefined): RawBuilder<unknown> {
  const below = before === undefined ? sql`` : sql`and output_search.rowid < ${before}`;
  return sql`
    select entry.key, d.execution_id as id
    from (select rowid as key from output_search where output_search match ${match} ${below} order by rowid desc limit ${sql.lit(PIECE)}) as entry
    join output_search_documents as d on d.document = entry.key`;
}

function postgresEntries(match: string, before: Entry['key'] | undefined): RawBuilder<unknown> {
  const below = before === undefined ? sql`` : sql`and execution_id < ${before}`;
  return sql`
    select execution_id as key, execution_id as id from output_search
    where words @@ cast(${match} as tsquery) ${below} order by execution_id desc limit ${sql.lit(PIECE)}`;
}

import { refuse } from '@svc/core/refusal';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { once, type Query } from '../unit/precompile.ts';

export type Key = string | number;
export type Condition = RawBuilder<boolean>;

/** The rows of a table that match a filter, and the index to find them with. */
interface WalkOptions {
  readonly table: string;
  /** The column that orders the list, in descending order. */
  readonly key: string;
  /** The conditions that one index answers in the order of the key. */
  readonly along: readonly Condition[];
  /** All other conditions. They name columns as `t.column`. */
  readonly matching: readonly Condition[];
  /** The column that makes keys unique, if the key alone does not. */
  readonly within?: Condition;
}

/** The keys along one index in descending order, below `before`. */
export interface Walk<K extends Key> {
  /** The keys of the next `count` rows of the index that match the filter. */
  readonly matches: (before: K | undefined, count: number) => Query<{ key: K }>;
  /** The key of the last of the next `count` rows of the index; no row when there are fewer. */
  readonly last: (before: K | undefined, count: number) => Query<{ key: K }>;
}

export function walkOf<K extends Key>({ build }: Pick<Database, 'build'>, options: WalkOptions): Walk<K> {
  const [table, key] = [sql.table(options.table), sql.ref(options.key)];
  const rows = (before: K | undefined) => {
    const conditions = [
      ...options.along,
      ...(before === undefined ? [] : [sql<boolean>`${key} < ${before}`]),
    ];
    return sql`select ${key} as key from ${table} where ${sql.join(conditions, sql` and `)} order by ${key} desc`;
  };
  const built = (text: RawBuilder<unknown>) =>
    once({ compile: () => text.compile(build) }) as Query<{ key: K }>;
  const matching = [
    sql`t.${key} = walked.key`,
    ...(options.within ? [options.within] : []),
    ...options.matching,
  ];
  return {
    last: (before, count) => built(sql`${rows(before)} limit 1 offset ${sql.lit(count - 1)}`),
    // NOTE: The inner limit keeps both databases on the index. A subquery with an aggregate is run row by row, by key; for
    // a join PostgreSQL would hash the whole table.
    matches: (before, count) =>
      built(
        sql`select walked.key from (${rows(before)} limit ${sql.lit(count)}) as walked where (select count(*) from ${table} as t where ${sql.join(matching, sql` and `)}) > 0`,
      ),
  };
}

/** The column of a filter, where the filter names it. */
export function equal(column: string, value: string | number | undefined): Condition[] {
  return value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`];
}

/** The cursor of a list: opaque for callers. */
export function cursorAfter(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/** The id that a cursor continues after. Throws `invalid_argument` for anything else. */
export function idOfCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (id === '' || cursorAfter(id) !== cursor)
    throw refuse('invalid_argument', `cursor "${cursor}": the next_cursor of an earlier answer expected`);
  return id;
}

// Decision 62: a filter takes the index that ends first, and stops at the bound.
import { expect, test } from 'bun:test';
import type { Database } from '../database.ts';
import { recordedQueries } from '../fixtures/query-plans.ts';
import { onBothDatabases } from '../fixtures/stores.ts';
import { boundedScan, type Way } from './bounded-scan.ts';
import { equal, walkOf } from './walk.ts';

const ROWS = 2_000;
const NUMBERS = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;
/** All are red, and four of them are huge. */
const FILL = [
  'create table things (id text not null primary key, colour text not null, size text not null)',
  'create index things_by_colour on things (colour, id)',
  'create index things_by_size on things (size, id)',
  `insert into things (id, colour, size) ${NUMBERS} select 'a' || (10000 + n), 'red', case when n % 600 = 5 then 'huge' else 'small' end from numbers`,
];
const HUGE = ['a11805', 'a11205', 'a10605', 'a10005'];

function waysOf(database: Pick<Database, 'build'>): Way<string>[] {
  const columns = [
    ['colour', 'red'],
    ['size', 'huge'],
  ] as const;
  const matching = columns.flatMap(([column, value]) => equal(`t.${column}`, value));
  return columns.map(([column, value]) => [
    walkOf<string>(database, { table: 'things', key: 'id', along: equal(column, value), matching }),
  ]);
}

onBothDatabases(({ newLocation }) => {
  test('of two indexes that end within the bound, a filter walks along the shorter one', async () => {
    for (const inOrder of [(ways: Way<string>[]) => ways, (ways: Way<string>[]) => ways.toReversed()]) {
      const queries = await recordedQueries(await newLocation(), FILL, async (database) => {
        const page = { before: undefined, limit: 20, bound: { rows: 10_000, ms: 60_000 } };
        const found = await boundedScan(database.reader, inOrder(waysOf(database)), page);
        expect(found).toEqual({ keys: HUGE, next: undefined, isPartial: false });
      });
      // The other index has its rows in five pieces.
      expect(queries.filter(({ sql }) => sql.includes('walked'))).toHaveLength(1);
    }
  }, 60_000);
});

import { expect, test } from 'bun:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Tables } from '../../../schema.ts';
import { once, reading, slotsOf, writing } from './precompile.ts';

const build = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

test('a query is built once, and each use brings its values in the order of the text', () => {
  let built = 0;
  const find = reading((it: { key: string; credential: string }) => {
    built += 1;
    return build
      .selectFrom('idempotency')
      .select('execution_id')
      .where('credential', '=', it.credential)
      .where('endpoint_id', '=', 'fixed')
      .where('key', '=', it.key);
  });
  const [one, other] = [find({ key: 'a', credential: 'b' }), find({ credential: 'd', key: 'c' })];
  expect(one).toEqual({
    sql: 'select "execution_id" from "idempotency" where "credential" = ? and "endpoint_id" = ? and "key" = ?',
    values: ['b', 'fixed', 'a'],
  });
  expect(other).toEqual({ sql: one.sql, values: ['d', 'fixed', 'c'] });
  expect(built).toBe(1);
});

test('a statement keeps one text, by which a database recognizes it', () => {
  const add = writing(
    (it: Pick<Tables['hubs'], 'id' | 'beat_at_ms'>) =>
      build.insertInto('hubs').values(slotsOf(it, ['id', 'beat_at_ms'])),
    { unlessChanged: 'never' },
  );
  const [one, other] = [add({ id: 'a', beat_at_ms: 1 }), add({ id: 'b', beat_at_ms: 2 })];
  expect(one.text).toBe(other.text);
  expect(one.text.unlessChanged).toBe('never');
  expect([one.values, other.values]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

test('a value may be null or bytes, stand twice, and is never taken for a piece of the query', () => {
  const bytes = new Uint8Array([0, 1]);
  const put = writing((it: { sse: Uint8Array; endings: string | null; id: string }) =>
    build
      .insertInto('output_chunks')
      .values({ execution_id: it.id, seq: 1, sse: it.sse, endings: it.endings })
      .onConflict((conflict) => conflict.doUpdateSet({ endings: it.endings })),
  );
  const { values } = put({ id: "x'; drop table users; --", sse: bytes, endings: null });
  expect(values).toEqual(["x'; drop table users; --", 1, bytes, null, null]);
});

test('NUL, which PostgreSQL has no text for, is replaced in what is built for one use and for many', () => {
  const find = reading((it: { id: string }) => build.selectFrom('hubs').select('id').where('id', '=', it.id));
  expect(find({ id: 'a\0b' }).values).toEqual(['a\ufffdb']);
  expect(once(build.selectFrom('hubs').select('id').where('id', '=', 'a\0b')).values).toEqual(['a\ufffdb']);
});

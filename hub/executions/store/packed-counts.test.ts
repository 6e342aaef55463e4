// Decision 114: packed counts say what the rows of counts say, whatever ends late. PostgreSQL only: SQLite packs nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StatsSpan } from '@svc/core/execution/execution-stats';
import pg from 'pg';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../test/postgres.ts';
import { migratedDatabase } from '../../../test/prepared-postgres.ts';
import { until } from '../../../test/until.ts';
import { createStore } from '../../build/create-store.ts';
import { runText } from '../../platform/db/fixtures/query-plans.ts';
import { newExecution, newId, STORE_OPTIONS, succeeded } from '../../platform/db/fixtures/samples.ts';
import { expectRight, live } from './fixtures/counted-lives.ts';
import { type LooseSpan, packingSteps } from './packed-counts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days that are over by the clock of the database. */
const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;
const SPAN: StatsSpan = { fromMs: FIRST_MS, untilMs: FIRST_MS + 48 * HOUR_MS, bucketMs: HOUR_MS };
const SPANS = [SPAN, { ...SPAN, bucketMs: DAY_MS }];
const PACKED =
  'select slug, span_ms, from_ms, state, durations from execution_counts_packed order by 1, 2, 3, 4';

describe('one step of packing', () => {
  const span = (looseRows: number, more: Partial<LooseSpan> = {}): LooseSpan => ({
    ...{ workspace_id: 'w1', slug: 'logs', span_ms: HOUR_MS, from_ms: FIRST_MS, loose_rows: looseRows },
    ...more,
  });
  const rowsOfSteps = (page: readonly LooseSpan[]) =>
    packingSteps(page).map((step) => step.map(({ loose_rows: rows }) => rows));

  test('has a thousand rows at most, or one hour or day', () => {
    expect(rowsOfSteps([600, 400, 1, 999, 1_500, 3, 0, 4].map((rows) => span(rows)))).toEqual([
      [600, 400],
      [1, 999],
      [1_500],
      [3, 4],
    ]);
    expect(packingSteps([span(0)])).toEqual([]);
  });

  test('is of one workspace, one endpoint and one length', () => {
    const others = [{ workspace_id: 'w2' }, { slug: 'deploy' }, { span_ms: DAY_MS }];
    expect(rowsOfSteps([span(1), ...others.flatMap((other) => [span(2, other), span(3)])])).toEqual([
      ...[[1], [2], [3], [2], [3], [2], [3]],
    ]);
  });
});

describe.skipIf(postgresMissing !== undefined)('packed counts', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  async function opened() {
    const url = await server.createDatabase(await migratedDatabase(server));
    const location = { kind: 'postgres', url } as const;
    return { url, location, store: await createStore(location, STORE_OPTIONS) };
  }

  /** Packs the hours of the span in one step, as hubs of the version before do after a read. */
  async function pack(client: pg.Client, slug = ''): Promise<void> {
    const hours = Array.from({ length: 48 }, (_, at) => FIRST_MS + at * HOUR_MS);
    await client.query('select svc_pack_counts($1, $2, $3, $4::bigint[])', ['w1', slug, HOUR_MS, hours]);
  }

  async function connected(url: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { client, [Symbol.asyncDispose]: () => client.end() };
  }

  /** Ends a running execution, in the transaction of this connection if there is one. */
  async function end(client: pg.Client, id: string): Promise<void> {
    await client.query("update executions set state = 'failed', duration_ms = 3 where id = $1", [id]);
  }

  test('hours and days that are over are packed, and reads say the same without their counts', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 1_500, FIRST_MS);
    await store.packCounts();
    const spans = 'select slug, span_ms, count(distinct from_ms) from execution_counts_packed group by 1, 2';
    const found = (await runText(location, `${spans} order by 1, 2`)).map((row) =>
      Object.values(row).map(String),
    );
    expect(found).toEqual(
      ['', 'deploy', 'logs'].flatMap((slug) => [
        [slug, String(HOUR_MS), '47'],
        [slug, String(DAY_MS), '2'],
      ]),
    );
    await runText(location, 'delete from execution_counts');
    await expectRight(store, location, SPANS);
  }, 60_000);

  test('a read packs nothing', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 1_500, FIRST_MS);
    // A read that packed would do so on one of three connections, each of which answers a read after it.
    for (let read = 0; read < 12; read += 1) await store.executions.statistics({ workspaceId: 'w1' }, SPAN);
    expect(await runText(location, PACKED)).toEqual([]);
  }, 60_000);

  test('hours that late ends have unpacked are packed again, and nothing after an abort', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 200, FIRST_MS);
    await store.packCounts(AbortSignal.abort());
    expect(await runText(location, PACKED)).toEqual([]);
    await store.packCounts();
    const left = await runText(location, "select id from executions where state in ('running', 'lost')");
    for (const { id } of left) await store.executions.finish(succeeded(String(id)), []);
    const unpacked = await runText(location, PACKED);
    await store.packCounts();
    expect((await runText(location, PACKED)).length).toBeGreaterThan(unpacked.length);
    await runText(location, 'delete from execution_counts');
    await expectRight(store, location, SPANS);
  }, 60_000);

  test('a step that fails is reported, and the others are packed', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 200, FIRST_MS);
    await runText(location, 'alter function svc_pack_counts rename to pack_counts');
    await runText(
      location,
      `create function svc_pack_counts(a text, b text, c bigint, d bigint[]) returns void language plpgsql as $$
        begin
          if b = 'deploy' then raise exception 'refused'; end if;
          perform pack_counts(a, b, c, d);
        end $$`,
    );
    expect(await store.packCounts().then(() => 'packed', String)).toContain('refused');
    const packed = await runText(location, 'select distinct slug from execution_counts_packed order by 1');
    expect(packed.map(({ slug }) => slug)).toEqual(['', 'logs']);
  }, 60_000);

  test('what ends late is counted, in hours and days that are packed', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 200, FIRST_MS);
    await store.packCounts();
    const before = (await runText(location, PACKED)).length;
    expect(before).toBeGreaterThan(100);
    await expectRight(store, location, SPANS);
    // Some are new, and some were running or lost until now.
    await live(store, 100, FIRST_MS);
    const left = await runText(location, "select id from executions where state in ('running', 'lost')");
    for (const { id } of left) await store.executions.finish(succeeded(String(id)), []);
    await expectRight(store, location, SPANS);
    expect((await runText(location, PACKED)).length).toBeLessThan(before);
  }, 60_000);

  test('hubs that end executions late count each once while hours are packed', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await using other = await createStore(location, STORE_OPTIONS);
    const packing = { isOver: false };
    const packs = [store, other].map(async (one) => {
      while (!packing.isOver) await one.packCounts();
    });
    await Promise.all([live(store, 300, FIRST_MS), live(other, 300, FIRST_MS)]);
    packing.isOver = true;
    await Promise.all(packs);
    await store.packCounts();
    await expectRight(store, location, SPANS);
    await expectRight(other, location, SPANS);
  }, 60_000);

  test('late ends of two hubs in opposite orders wait for each other, without a deadlock', async () => {
    const { url, location, store } = await opened();
    await using _ = store;
    await using one = await connected(url);
    await using other = await connected(url);
    const accepted = async (createdAtMs: number) => {
      const id = newId(createdAtMs);
      await store.executions.accept(newExecution({ id, createdAtMs, slug: 'logs' }));
      return id;
    };
    const [first, second] = [FIRST_MS, FIRST_MS + HOUR_MS];
    for (const hour of [first, second]) await end(one.client, await accepted(hour));
    await pack(one.client);
    expect(await runText(location, PACKED)).toHaveLength(2);

    const ends = [await accepted(first), await accepted(second)] as const;
    const reversed = [await accepted(second), await accepted(first)] as const;
    // Else each removes the packed rows of all of its ends at once, when it commits.
    const begin = 'begin; set constraints all immediate';
    await one.client.query(begin);
    await end(one.client, ends[0]);
    const ending = (async () => {
      await other.client.query(begin);
      for (const id of reversed) await end(other.client, id);
      await other.client.query('commit');
    })();
    await until(async () => (await runText(location, 'select 1 from pg_locks where not granted')).length > 0);
    await end(one.client, ends[1]);
    await one.client.query('commit');
    await ending;
    await expectRight(store, location, SPANS);
  }, 60_000);

  test('an hour that is packed while an end in it is not committed is unpacked by its commit, which waits for a packing', async () => {
    const { url, location, store } = await opened();
    await using _ = store;
    await using late = await connected(url);
    await using packing = await connected(url);
    const ids = Array.from({ length: 4 }, (_, at) => newId(FIRST_MS + at));
    for (const id of ids)
      await store.executions.accept(newExecution({ id, createdAtMs: FIRST_MS, slug: 'logs' }));
    await end(late.client, String(ids[0]));
    await late.client.query('begin');
    await end(late.client, String(ids[1]));
    await pack(packing.client);
    expect(await runText(location, PACKED)).toMatchObject([{ state: 'failed', durations: '3,1' }]);
    await late.client.query('commit');
    expect(await runText(location, PACKED)).toEqual([]);

    await late.client.query('begin; set constraints all immediate');
    await end(late.client, String(ids[2]));
    await pack(packing.client);
    await late.client.query('commit');
    expect(await runText(location, PACKED)).toEqual([]);

    await packing.client.query('begin');
    await pack(packing.client);
    const ending = end(late.client, String(ids[3]));
    const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
    await until(async () => (await runText(location, waits)).length > 0);
    await packing.client.query('commit');
    await ending;
    expect(await runText(location, PACKED)).toEqual([]);

    await pack(packing.client);
    expect(await runText(location, PACKED)).toMatchObject([{ state: 'failed', durations: '3,4' }]);
    await expectRight(store, location, SPANS);
  }, 60_000);

  test('an hour that is not over is not packed, nor anything while earlier executions are counted', async () => {
    const { url, location, store } = await opened();
    await using _ = store;
    await using connection = await connected(url);
    const nowMs = Date.now();
    const created = [FIRST_MS, nowMs];
    for (const createdAtMs of created) {
      const { id } = newExecution({ id: newId(createdAtMs), createdAtMs });
      await store.executions.accept(newExecution({ id, createdAtMs }));
      await store.executions.finish(succeeded(id), []);
    }
    const hours = created.map((atMs) => Math.floor(atMs / HOUR_MS) * HOUR_MS);
    const packAll = () =>
      connection.client.query('select svc_pack_counts($1, $2, $3, $4::bigint[])', ['w1', '', HOUR_MS, hours]);
    await runText(location, "update execution_counts_earlier set counted_down_to = 'g'");
    await packAll();
    expect(await runText(location, PACKED)).toEqual([]);
    await runText(location, "update execution_counts_earlier set counted_down_to = ''");
    await packAll();
    expect(await runText(location, PACKED)).toMatchObject([{ from_ms: String(hours[0]) }]);
  }, 60_000);

  test('they go with the counts', async () => {
    const { url, location, store } = await opened();
    await using _ = store;
    await using connection = await connected(url);
    await live(store, 100, FIRST_MS);
    await pack(connection.client);
    await store.sweep(FIRST_MS + 60 * DAY_MS);
    expect(await runText(location, PACKED)).toEqual([]);
  }, 60_000);
});

// Decision 116: late ends lock last, and what a clock that was ahead has packed is unpacked. PostgreSQL only: SQLite packs nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StatsSpan } from '@svc/core/execution/execution-stats';
import pg from 'pg';
import { type PostgresServer, postgresMissing, startPostgres } from '../../../test/postgres.ts';
import { migratedDatabase } from '../../../test/prepared-postgres.ts';
import { createStore } from '../../build/create-store.ts';
import { runText } from '../../platform/db/fixtures/query-plans.ts';
import { newExecution, newId, quota, STORE_OPTIONS, succeeded } from '../../platform/db/fixtures/samples.ts';
import { expectRight } from './fixtures/counted-lives.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A day that is over by the clock of the database. */
const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;
const PACKED = 'select slug, span_ms, from_ms from execution_counts_packed order by 1, 2, 3';

/** Until tomorrow. */
const SPANS: StatsSpan[] = [HOUR_MS, DAY_MS].map((bucketMs) => ({
  ...{ fromMs: FIRST_MS, untilMs: FIRST_MS + 7 * DAY_MS, bucketMs },
}));

describe.skipIf(postgresMissing !== undefined)('late ends', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);

  async function opened() {
    const url = await server.createDatabase(await migratedDatabase(server));
    const location = { kind: 'postgres', url } as const;
    const store = await createStore(location, STORE_OPTIONS);
    const accepted = async (createdAtMs: number, state: 'running' | 'pending_approval' = 'running') => {
      const id = newId(createdAtMs);
      await store.executions.accept(newExecution({ id, createdAtMs, slug: 'logs', state }), quota());
      return id;
    };
    const ended = async (createdAtMs: number) => {
      const id = await accepted(createdAtMs);
      await store.executions.finish(succeeded(id), []);
    };
    return { url, location, store, accepted, ended };
  }

  /** A connection of another hub. */
  async function connected(url: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      run: (text: string) => client.query(text),
      end: (id: string) => client.query("update executions set state = 'failed' where id = $1", [id]),
      approve: (id: string) => client.query("update executions set state = 'queued' where id = $1", [id]),
      useQuota: (by: 1 | -1) => client.query('update quota set used = used + $1', [by]),
      [Symbol.asyncDispose]: () => client.end(),
    };
  }

  test('a late change of state that ends nothing unpacks nothing', async () => {
    const { url, location, store, accepted, ended } = await opened();
    await using _ = store;
    await using hub = await connected(url);
    const id = await accepted(FIRST_MS, 'pending_approval');
    await ended(FIRST_MS);
    await store.packCounts();
    const packed = await runText(location, PACKED);
    expect(packed).toHaveLength(4);
    await hub.approve(id);
    const agent = { name: 'default', instance: 'i1', boot: 'b1' };
    await store.executions.begin(id, { ...agent, hubId: 'hub1', nowMs: Date.now() });
    expect(await runText(location, PACKED)).toEqual(packed);
    await store.executions.finish(succeeded(id), []);
    expect(await runText(location, PACKED)).toEqual([]);
    await expectRight(store, location, SPANS);
  }, 60_000);

  // A group of units takes the quotas of its calls first; these two units change an execution before the quota.
  test.each([
    ['an approval', 'before the late end of the other'],
    ['an approval', 'after the late end of the other'],
    ['a late end that returns its quota', 'before the late end of the other'],
    ['a late end that returns its quota', 'after the late end of the other'],
  ])(
    '%s, and a call with a late end at another hub, do not wait for each other in a circle: its quota %s',
    async (unit, order) => {
      const { url, location, store, accepted, ended } = await opened();
      await using _ = store;
      await using one = await connected(url);
      await using other = await connected(url);
      const isApproval = unit === 'an approval';
      const id = await accepted(FIRST_MS, isApproval ? 'pending_approval' : 'running');
      const late = await accepted(FIRST_MS + HOUR_MS);
      for (const hour of [FIRST_MS, FIRST_MS + HOUR_MS]) await ended(hour);
      await store.packCounts();

      await one.run('begin');
      await (isApproval ? one.approve(id) : one.end(id));
      await other.run('begin');
      await other.useQuota(1);
      const take = () => one.useQuota(isApproval ? 1 : -1).then(() => 'done', String);
      const endLate = () => other.end(late).then(() => 'done', String);
      const isTakenFirst = order.startsWith('before');
      const first = isTakenFirst ? take() : endLate();
      const second = isTakenFirst ? endLate() : take();
      expect(await (isTakenFirst ? second : first)).toBe('done');
      await other.run('commit');
      expect(await (isTakenFirst ? first : second)).toBe('done');
      await one.run('commit');
      expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(isApproval ? 6 : 4);
      await expectRight(store, location, SPANS);
    },
    60_000,
  );

  describe('after the clock of the server was ahead', () => {
    /** The present hour and day of the workspace are packed, and more ends in them, which are not late. */
    async function packedEarly() {
      const { url, store, ended, ...rest } = await opened();
      const nowMs = Date.now();
      await ended(nowMs);
      await ended(FIRST_MS);
      await using ahead = await connected(url);
      await ahead.run(`create schema ahead; create function ahead.clock_timestamp() returns timestamptz
        language sql as $$ select pg_catalog.clock_timestamp() + interval '29 hours' $$`);
      await ahead.run('set search_path = ahead, pg_catalog, public');
      for (const spanMs of [HOUR_MS, DAY_MS])
        await ahead.run(
          `select svc_pack_counts('w1', '', ${spanMs}, array[${nowMs - (nowMs % spanMs)}, ${FIRST_MS}]::bigint[])`,
        );
      await ended(nowMs);
      return { url, store, ended, ...rest };
    }

    test('reads do not take what it has packed', async () => {
      const { location, store } = await packedEarly();
      await using _ = store;
      expect(await runText(location, PACKED)).toHaveLength(4);
      await expectRight(store, location, SPANS);
    }, 60_000);

    test('hubs remove what it has packed, also more than one step of it, and nothing else', async () => {
      const { location, store } = await packedEarly();
      await using _ = store;
      const early = 'from_ms + span_ms > extract(epoch from now()) * 1000 - 4 * 3600000';
      const count = async () =>
        Number(
          (await runText(location, `select count(*) from execution_counts_packed where ${early}`))[0]?.count,
        );
      await runText(
        location,
        `insert into execution_counts_packed select 'w1', slug, ${HOUR_MS}, ${FIRST_MS + 6 * DAY_MS}, 'failed', '1,1'
         from (select 'endpoint-' || generate_series(1, 2500) as slug) as many`,
      );
      expect(await count()).toBe(2_502);
      await store.packCounts();
      expect(await count()).toBe(0);
      const left = (await runText(location, PACKED)).map(({ from_ms: fromMs }) => Number(fromMs));
      expect(left).toEqual([FIRST_MS, FIRST_MS, FIRST_MS, FIRST_MS]);
      await expectRight(store, location, SPANS);
    }, 60_000);
  });
});

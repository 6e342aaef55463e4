// Decision 63: statistics are counted at the end of an execution. The test compares them with the rows.
import { expect, test } from 'bun:test';
import type { StatsSpan } from '@svc/core/execution/execution-stats';
import { bucketOfDuration } from '@svc/core/execution/fixtures/bucket-of-duration';
import { createStore } from '../../build/create-store.ts';
import { migrateTo } from '../../platform/db/fixtures/migrated-to.ts';
import { recordedQueries, runText } from '../../platform/db/fixtures/query-plans.ts';
import { newExecution, newId, STORE_OPTIONS, succeeded } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { firstIdOf } from './first-id.ts';
import {
  chooser,
  countsOfRows,
  countsOfStore,
  expectRight,
  finished,
  live,
  pairsOf,
  SLUGS,
  type StatRow,
} from './fixtures/counted-lives.ts';
import { readStatistics } from './statistics.ts';

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 10, 20);
const SPAN: StatsSpan = { fromMs: FIRST_MS, untilMs: FIRST_MS + 48 * HOUR_MS, bucketMs: HOUR_MS };
const DAYS: StatsSpan = { ...SPAN, bucketMs: 24 * HOUR_MS };

onBothDatabases(({ newLocation }) => {
  const opened = async () => {
    const location = await newLocation();
    return { location, store: await createStore(location, STORE_OPTIONS) };
  };

  test('statistics are what the rows say, whatever became of them', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 600, FIRST_MS);
    await expectRight(store, location, [SPAN, DAYS]);
    await store.foldCounts();
    await expectRight(store, location, [SPAN, DAYS]);
    expect(await runText(location, 'select * from execution_count_changes')).toEqual([]);
    expect(Object.keys(await countsOfStore(store, undefined, SPAN)).length).toBeGreaterThan(100);
  }, 60_000);

  test('statistics are right at every moment while ends are added to the counts', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 700, FIRST_MS);
    const expected = await countsOfRows(location, undefined, SPAN);
    const folding = { isDone: false };
    const folded = store.foldCounts().then(() => {
      folding.isDone = true;
    });
    do expect(await countsOfStore(store, undefined, SPAN)).toEqual(expected);
    while (!folding.isDone);
    await folded;
    await Promise.all([live(store, 300, FIRST_MS), store.foldCounts(), store.foldCounts()]);
    await expectRight(store, location, [SPAN, DAYS]);
  }, 60_000);

  test('minutes are counted from the rows', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 300, FIRST_MS);
    const span = { fromMs: FIRST_MS, untilMs: FIRST_MS + 400 * 60_000, bucketMs: 60_000 };
    const { counts, isPartial } = await store.executions.statistics(
      { workspaceId: 'w1', slug: 'logs' },
      span,
    );
    expect(isPartial).toBe(false);
    const rows = (await runText(
      location,
      'select slug, state, created_at_ms, duration_ms from executions',
    )) as unknown as StatRow[];
    const expected = rows
      .filter(({ slug, created_at_ms: atMs }) => slug === 'logs' && Number(atMs) < span.untilMs)
      .map(({ state, created_at_ms: atMs, duration_ms: durationMs }) => {
        const bucket = bucketOfDuration(durationMs === null ? undefined : Number(durationMs));
        return `${Number(atMs) - (Number(atMs) % 60_000)} ${state} ${bucket}`;
      });
    const found = counts.flatMap(({ atMs, state, durations }) =>
      pairsOf(durations).flatMap(([bucket, count]) =>
        Array.from({ length: count }, () => `${atMs} ${state} ${bucket}`),
      ),
    );
    expect(found.sort()).toEqual(expected.sort());
    expect(found.length).toBeGreaterThan(10);
  }, 60_000);

  test('what is not read within the bound is said, and only then', async () => {
    const { location, store } = await opened();
    await using _ = store;
    // Four in each of ten hours. The newest hour has two of the endpoint `logs`.
    for (let at = 0; at < 40; at += 1) {
      const createdAtMs = FIRST_MS + Math.floor(at / 4) * HOUR_MS + (at % 4);
      const of = { id: newId(createdAtMs), createdAtMs, slug: at < 38 ? 'deploy' : 'logs' };
      const state = at % 4 === 0 ? 'pending_approval' : at % 4 === 1 ? 'queued' : 'running';
      await store.executions.accept(newExecution({ ...of, state }));
    }
    await recordedQueries(location, [], async (database) => {
      const read = async (span: StatsSpan, rows: number, slug?: string) => {
        const of = { workspaceId: 'w1', ...(slug === undefined ? {} : { slug }) };
        const { counts, completeFromMs, isPartial } = await readStatistics(database, of, span, { rows });
        const count = counts
          .flatMap(({ durations }) => pairsOf(durations))
          .reduce((sum, [, n]) => sum + n, 0);
        return { count, isPartial, fromHour: (completeFromMs - FIRST_MS) / HOUR_MS };
      };
      // 30 are queued or running, three an hour; ten are pending.
      expect(await read(SPAN, 30)).toEqual({ count: 40, isPartial: false, fromHour: 0 });
      expect(await read(SPAN, 29)).toMatchObject({ isPartial: true, fromHour: 1 });
      expect(await read(SPAN, 12)).toMatchObject({ isPartial: true, fromHour: 6 });
      expect(await read(SPAN, 9)).toMatchObject({ isPartial: true, fromHour: 7 });
      // The bound is on what is read of the workspace.
      expect(await read(SPAN, 30, 'logs')).toEqual({ count: 2, isPartial: false, fromHour: 0 });
      expect(await read(SPAN, 12, 'logs')).toEqual({ count: 2, isPartial: true, fromHour: 6 });
      const minutes = { ...SPAN, bucketMs: 60_000 };
      expect(await read(minutes, 40)).toEqual({ count: 40, isPartial: false, fromHour: 0 });
      expect(await read(minutes, 39)).toMatchObject({ isPartial: true });
    });
  }, 60_000);

  test('hubs that end executions of one endpoint at the same time count each once, without a deadlock', async () => {
    const { location, store } = await opened();
    const others = location.kind === 'postgres' ? [1, 2].map(() => createStore(location, STORE_OPTIONS)) : [];
    const stores = [store, ...(await Promise.all(others))];
    await Promise.all(stores.map((one) => live(one, 200, FIRST_MS)));
    await expectRight(store, location, [SPAN, DAYS]);
    for (const one of stores) await one[Symbol.asyncDispose]();
    if (location.kind === 'sqlite') return;
    const [figures] = await runText(
      location,
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(figures?.deadlocks)).toBe(0);
  }, 60_000);

  test('executions that ended before an upgrade are counted in steps, once, while others end', async () => {
    const location = await newLocation();
    await migrateTo(location, '0015-sealed-inputs');
    const choose = chooser();
    const rows = Array.from({ length: 1_700 }, (_, at) => {
      const atMs = FIRST_MS + at * 60_000;
      const state = choose([
        'succeeded',
        'succeeded',
        'failed',
        'lost',
        'running',
        'queued',
        'pending_approval',
      ]);
      const duration = state === 'succeeded' || state === 'failed' ? choose([0, 12, 333]) : 'null';
      return { id: firstIdOf(atMs), atMs, state, slug: choose(SLUGS), duration };
    });
    const values = rows.map(
      ({ id, atMs, state, slug, duration }) =>
        `('${id}','w1','e','${slug}','d','${state}','call','api_key','{}','hub1',0,60,${atMs},${duration},0,0,0)`,
    );
    await runText(
      location,
      `insert into executions (id,workspace_id,endpoint_id,slug,definition_hash,state,"trigger",caller_kind,args,hub_id,asynchronous,timeout_sec,created_at_ms,duration_ms,late,stored_bytes,last_seq) values ${values.join(',')}`,
    );
    await using store = await createStore(location, STORE_OPTIONS);
    const before = await store.executions.statistics({ workspaceId: 'w1' }, SPAN);
    expect(before).toMatchObject({ isPartial: true, completeFromMs: SPAN.untilMs });
    // A hub whose clock is behind makes one with an id of before.
    const late = newExecution({ id: newId(FIRST_MS + 5), createdAtMs: FIRST_MS + 5 });
    await Promise.all([
      store.countEarlier(),
      store.countEarlier(),
      store.executions.accept(late).then(() => store.executions.finish(succeeded(late.id), [])),
      ...rows.map(async ({ id, state }) => {
        if (state === 'running' || state === 'lost')
          await store.executions.finish(finished(id, 'succeeded', 40), []);
      }),
    ]);
    await expectRight(store, location, [SPAN, DAYS]);
    expect(await runText(location, 'select * from execution_counts_by_trigger')).toEqual([]);
  }, 60_000);

  test('statistics go with the records, an hour and a day at a time', async () => {
    const { location, store } = await opened();
    await using _ = store;
    await live(store, 100, FIRST_MS);
    await store.foldCounts();
    await store.sweep(FIRST_MS + 31 * 24 * HOUR_MS);
    await expectRight(store, location, [SPAN, DAYS]);
    await store.sweep(FIRST_MS + 60 * 24 * HOUR_MS);
    const left = await runText(location, 'select distinct state from executions order by state');
    expect(left).toEqual([{ state: 'running' }]);
    expect(await runText(location, 'select * from execution_counts')).toEqual([]);
  }, 60_000);
});

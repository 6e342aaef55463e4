import { expect, test } from 'bun:test';
import { runSql } from '../platform/db/fixtures/run-sql.ts';
import { NOW_MS } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';

onBothDatabases(({ newLocation, open }) => {
  test('the last heartbeat of a hub is stored until it is removed', async () => {
    await using store = await open();
    await store.hubs.heartbeat('hub1', NOW_MS);
    await store.hubs.heartbeat('hub2', NOW_MS);
    await store.hubs.heartbeat('hub2', NOW_MS + 10);
    expect([...(await store.hubs.heartbeats())].sort()).toEqual([
      ['hub1', NOW_MS],
      ['hub2', NOW_MS + 10],
    ]);
    await store.hubs.forget('hub1');
    expect([...(await store.hubs.heartbeats()).keys()]).toEqual(['hub2']);
  });

  test('a hub knows the migrations of its program, until a program that says nothing has its id', async () => {
    const location = await newLocation();
    await using store = await open(location);
    await store.hubs.heartbeat('new', NOW_MS);
    await store.hubs.heartbeat('taken back', NOW_MS);
    expect(await store.hubs.without('0043')).toEqual([]);
    expect(await store.hubs.without('9999')).toEqual(['new', 'taken back']);
    // What a program before this migration writes.
    await runSql(location, `insert into hubs (id, beat_at_ms) values ('old', ${NOW_MS})`);
    await runSql(location, `update hubs set beat_at_ms = ${NOW_MS + 1} where id = 'taken back'`);
    expect(await store.hubs.without('0043')).toEqual(['old', 'taken back']);
    await store.hubs.heartbeat('old', NOW_MS + 2);
    expect(await store.hubs.without('0043')).toEqual(['taken back']);
  });
});

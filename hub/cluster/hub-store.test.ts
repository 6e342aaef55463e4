import { expect, test } from 'bun:test';
import { NOW_MS } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';

onBothDatabases(({ open }) => {
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
});

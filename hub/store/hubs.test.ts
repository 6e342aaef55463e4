import { expect, test } from 'bun:test';
import { NOW_MS } from './fixtures/samples.ts';
import { onBothDatabases } from './fixtures/stores.ts';

onBothDatabases(({ open }) => {
  test('a hub is silent from its last beat on, until it is forgotten', async () => {
    await using store = await open();
    await store.hubs.beat('hub1', NOW_MS);
    await store.hubs.beat('hub2', NOW_MS);
    await store.hubs.beat('hub2', NOW_MS + 10);
    expect(await store.hubs.silentSince(NOW_MS)).toEqual([]);
    expect(await store.hubs.silentSince(NOW_MS + 10)).toEqual(['hub1']);
    expect(await store.hubs.silentSince(NOW_MS + 11)).toEqual(['hub1', 'hub2']);
    await store.hubs.forget('hub1');
    expect(await store.hubs.silentSince(NOW_MS + 11)).toEqual(['hub2']);
  });
});

import { expect, test } from 'bun:test';
import { createStore } from '../build/create-store.ts';
import { auditEntry, NOW_MS, newId, newWorkspace, STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { callLookups } from './caches.ts';

onBothDatabases(({ newLocation }) => {
  test('a write is effective in the caches before it is answered', async () => {
    const events = new EventStream(() => undefined);
    await using store = await createStore(await newLocation(), { ...STORE_OPTIONS, events });
    const lookups = callLookups(store);
    events.subscribe('lookups_stale', ({ what }) => {
      for (const each of what) lookups.forget(each);
    });
    const { workspaceId, userId } = await newWorkspace(store);
    const entry = auditEntry(workspaceId);
    await store.usernames.choose(workspaceId, 'ada', entry);
    expect(await lookups.workspace('ada')).toMatchObject({ plan: 'free' });
    await store.accounts.setPlan(workspaceId, 'pro', entry);
    expect(await lookups.workspace('ada')).toMatchObject({ plan: 'pro' });

    const key = {
      ...{ id: newId(), workspaceId, createdBy: userId, name: 'laptop', hash: 'h1', last4: 'wxyz' },
      ...{ endpoints: undefined, createdAtMs: NOW_MS, expiresAtMs: undefined, revokedAtMs: undefined },
    };
    await store.credentials.addApiKey(key, entry);
    expect(await lookups.apiKey('h1')).toMatchObject({ revokedAtMs: undefined });
    await store.credentials.revokeApiKey(workspaceId, key.id, entry);
    expect((await lookups.apiKey('h1'))?.revokedAtMs).toBe(NOW_MS);
  });
});

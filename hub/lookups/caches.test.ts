import { expect, test } from 'bun:test';
import { createStore } from '../build/create-store.ts';
import { redirectFormer } from '../http/former-username.ts';
import { auditEntry, NOW_MS, newId, newWorkspace, STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { callLookups } from './caches.ts';

onBothDatabases(({ newLocation }) => {
  test('a write is effective in the caches before it is answered', async () => {
    const events = new EventStream(() => undefined);
    await using store = await createStore(await newLocation(), { ...STORE_OPTIONS, events });
    const lookups = callLookups(store, { nowMs: () => NOW_MS });
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

  test('a name in a URL that is no former one costs at most one read a second', async () => {
    const events = new EventStream(() => undefined);
    await using store = await createStore(await newLocation(), { ...STORE_OPTIONS, events });
    const reads: string[] = [];
    let nowMs = NOW_MS;
    const lookups = callLookups(
      {
        ...store,
        accounts: {
          workspaceById: (id) => store.accounts.workspaceById(id),
          workspaceByUsername: (username) => {
            reads.push(`workspace ${username}`);
            return store.accounts.workspaceByUsername(username);
          },
        },
        usernames: {
          former: (username) => {
            reads.push(`former ${username}`);
            return store.usernames.former(username);
          },
        },
      },
      { nowMs: () => nowMs },
    );
    events.subscribe('lookups_stale', ({ what }) => {
      for (const each of what) lookups.forget(each);
    });
    const visit = async (username: string) => {
      const request = new Request(`http://hub.example/v1/${username}/job`);
      const moved = await redirectFormer({ lookups }, request, { before: '/v1/', username });
      return moved?.headers.get('location');
    };
    const { workspaceId, userId } = await newWorkspace(store);
    const entry = auditEntry(workspaceId);
    await store.usernames.choose(workspaceId, 'ada', entry);
    for (const name of ['unknown', 'ada', 'unknown', 'ada']) expect(await visit(name)).toBeUndefined();
    expect(reads.splice(0)).toEqual(['former unknown', 'former ada']);
    nowMs += 1_000;
    expect(await visit('unknown')).toBeUndefined();
    expect(await visit('ada')).toBeUndefined();
    expect(reads.splice(0)).toEqual(['former unknown', 'former ada']);
    // A change within this second is in effect at once.
    const workspace = { id: workspaceId, username: 'ada', ownerId: userId, plan: 'free' } as const;
    const change = { workspace, from: 'ada', to: 'acme', former: ['ada'], oldUrls: 'redirect' } as const;
    expect(await store.usernames.change(change, entry)).toBe('stored');
    expect(await visit('ada')).toBe('/v1/acme/job');
  });
});

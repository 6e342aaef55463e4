import { expect, test } from 'bun:test';
import { MAX_KEYS, MAX_SERVICE_ACCOUNTS } from '@svc/core/service-account/service-account';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

type Owned = { readonly workspaceId: string; readonly userId: string };

const accountOf = ({ workspaceId, userId }: Owned, name: string = newId()) => ({
  ...{ id: newId(), workspaceId, name, role: 'admin' as const, createdBy: userId },
  ...{ createdAtMs: NOW_MS, disabledAtMs: undefined },
});

const keyOf = ({ workspaceId, userId }: Owned, serviceAccountId: string) => ({
  ...{
    id: newId(),
    workspaceId,
    createdBy: userId,
    serviceAccountId,
    name: 'k',
    hash: newId(),
    last4: 'wxyz',
  },
  ...{ endpoints: undefined, createdAtMs: NOW_MS, expiresAtMs: undefined, revokedAtMs: undefined },
});

onBothDatabases(({ shared }) => {
  test('an account takes exactly the most keys of many at once, and none after it was disabled', async () => {
    const store = await shared();
    const owned = await newWorkspace(store);
    const account = accountOf(owned);
    const entry = auditEntry(owned.workspaceId);
    expect(await store.serviceAccounts.add(account, entry)).toBe('stored');
    const keys = Array.from({ length: MAX_KEYS + 4 }, () => keyOf(owned, account.id));
    const stored = await Promise.all(keys.map((key) => store.serviceAccounts.addKey(key, entry)));
    expect(stored.filter((outcome) => outcome === 'stored')).toHaveLength(MAX_KEYS);
    expect(stored.filter((outcome) => outcome === 'refused')).toHaveLength(4);
    const [first] = keys.filter((_, n) => stored[n] === 'stored');
    expect(await store.serviceAccounts.byKey(first?.hash ?? '')).toMatchObject({ account, key: first });
    expect(await store.serviceAccounts.disable(owned.workspaceId, account.id, entry)).toBe(true);
    expect(await store.serviceAccounts.disable(owned.workspaceId, account.id, entry)).toBe(false);
    const revoked = await store.serviceAccounts.keysOf(owned.workspaceId);
    expect(revoked.map(({ revokedAtMs }) => revokedAtMs)).toEqual(revoked.map(() => NOW_MS));
    expect(await store.serviceAccounts.addKey(keyOf(owned, account.id), entry)).toBe('refused');
  });

  test('two accounts that work do not have one name, and a workspace has at most so many', async () => {
    const store = await shared();
    const owned = await newWorkspace(store);
    const entry = auditEntry(owned.workspaceId);
    const add = (name?: string) => store.serviceAccounts.add(accountOf(owned, name), entry);
    const same = await Promise.all([add('ci'), add('ci'), add('ci')]);
    expect(same.toSorted()).toEqual(['refused', 'refused', 'stored']);
    const all = await Promise.all(Array.from({ length: MAX_SERVICE_ACCOUNTS + 2 }, () => add()));
    expect(all.filter((outcome) => outcome === 'stored')).toHaveLength(MAX_SERVICE_ACCOUNTS - 1);
  });

  test('nothing is made by a user who may not, and nothing is changed from another workspace', async () => {
    const store = await shared();
    const [ada, eve] = [await newWorkspace(store), await newWorkspace(store)];
    const entry = auditEntry(ada.workspaceId);
    const account = accountOf(ada);
    await store.serviceAccounts.add(account, entry);
    const byEve = { workspaceId: ada.workspaceId, userId: eve.userId };
    expect(await store.serviceAccounts.add(accountOf(byEve), entry)).toBe('no_manager');
    expect(await store.serviceAccounts.addKey(keyOf(byEve, account.id), entry)).toBe('no_manager');
    expect(await store.serviceAccounts.addKey(keyOf(eve, account.id), auditEntry(eve.workspaceId))).toBe(
      'refused',
    );
    const key = keyOf(ada, account.id);
    expect(await store.serviceAccounts.addKey(key, entry)).toBe('stored');
    const ofEve = auditEntry(eve.workspaceId);
    expect(await store.serviceAccounts.disable(eve.workspaceId, account.id, ofEve)).toBe(false);
    expect(await store.serviceAccounts.revokeKey(eve.workspaceId, key.id, ofEve)).toBe(false);
    expect((await store.serviceAccounts.byKey(key.hash))?.key.revokedAtMs).toBeUndefined();
  });
});

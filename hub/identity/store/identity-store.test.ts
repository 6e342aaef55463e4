import { expect, test } from 'bun:test';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { Identity } from '../identity-ports.ts';

const identityOf = (userId: string, more: Partial<Identity> = {}): Identity => ({
  id: newId(),
  issuer: 'https://login.example',
  subject: newId(),
  userId,
  email: 'ada@example.org',
  createdAtMs: NOW_MS,
  usedAtMs: NOW_MS,
  ...more,
});

const userOf = (identity: Identity) => ({
  id: identity.userId,
  email: `${newId()}@example.org`,
  workspaceId: newId(),
  plan: 'free' as const,
  nowMs: NOW_MS,
});

onBothDatabases(({ shared }) => {
  test('an identity is found by issuer and subject together, as stored', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const identity = identityOf(userId, { email: undefined });
    expect(await store.identities.link(identity, auditEntry(workspaceId))).toBe('stored');
    expect(await store.identities.find(identity.issuer, identity.subject)).toEqual(identity);
    expect(await store.identities.find('https://other.example', identity.subject)).toBeUndefined();
    expect(await store.identities.ofUser(userId)).toEqual([identity]);
    await store.identities.touch(identity.id, 'new@example.org', NOW_MS + 1);
    const touched = { ...identity, email: 'new@example.org', usedAtMs: NOW_MS + 1 };
    expect(await store.identities.ofUser(userId)).toEqual([touched]);
  });

  test('an identity belongs to one user, and only its user unlinks it', async () => {
    const store = await shared();
    const [ada, eve] = [await newWorkspace(store), await newWorkspace(store)];
    const identity = identityOf(ada.userId);
    await store.identities.link(identity, auditEntry(ada.workspaceId));
    const stolen = { ...identity, id: newId(), userId: eve.userId };
    expect(await store.identities.link(stolen, auditEntry(eve.workspaceId))).toBe('taken');
    const { id } = identity;
    expect(await store.identities.unlink({ userId: eve.userId, id }, [], auditEntry(eve.workspaceId))).toBe(
      false,
    );
    expect(await store.identities.unlink({ userId: ada.userId, id }, [], auditEntry(ada.workspaceId))).toBe(
      true,
    );
    expect(await store.identities.find(identity.issuer, identity.subject)).toBeUndefined();
  });

  test('one of many concurrent first sign-ins makes the account', async () => {
    const store = await shared();
    const identities = Array.from({ length: 10 }, () => identityOf(newId(), { subject: 'the same' }));
    const made = await Promise.all(
      identities.map((identity) => {
        const user = userOf(identity);
        return store.identities.createUser(user, identity, auditEntry(user.workspaceId));
      }),
    );
    expect(made.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(made.filter((outcome) => outcome === 'taken')).toHaveLength(9);
    const winner = identities[made.indexOf('stored')];
    expect(await store.identities.find('https://login.example', 'the same')).toEqual(winner);
    // The others left no account behind.
    const users = await Promise.all(identities.map(({ userId }) => store.accounts.userById(userId)));
    expect(users.filter((user) => user !== undefined)).toHaveLength(1);
  });

  test('a new identity does not enter the account with its address', async () => {
    const store = await shared();
    const { userId } = await newWorkspace(store, 'known@example.org');
    const identity = identityOf(newId());
    const user = { ...userOf(identity), email: 'KNOWN@example.org' };
    expect(await store.identities.createUser(user, identity, auditEntry(user.workspaceId))).toBe('exists');
    expect(await store.identities.find(identity.issuer, identity.subject)).toBeUndefined();
    expect(await store.identities.ofUser(userId)).toEqual([]);
  });

  test('a return is used once by many concurrent requests', async () => {
    const { identities } = await shared();
    const id = newId();
    const uses = await Promise.all(Array.from({ length: 20 }, () => identities.useSignIn(id, NOW_MS)));
    expect(uses.filter(Boolean)).toHaveLength(1);
  });
});

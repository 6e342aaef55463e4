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

  test('a sign-out at the provider finds the sessions of its session, and those without a name', async () => {
    const store = await shared();
    const { identities } = store;
    const { workspaceId, userId } = await newWorkspace(store);
    const at = (sid: string | undefined, more: object = {}) => ({
      ...{ id: newId(), issuer: 'https://login.example', subject: 'ada', sid, userId },
      ...{ workspaceId: undefined, sealedRefresh: undefined, checkedAtMs: undefined },
      ...{ expiresAtMs: NOW_MS + 1, ...more },
    });
    const issuer = `https://${newId()}.example`;
    const sessions = [
      at('one', { issuer }),
      at('two', { issuer }),
      at(undefined, { issuer }),
      at('one', { issuer, expiresAtMs: NOW_MS }),
      at('one', { issuer, subject: 'eve' }),
      at('one'),
      // The provider of a workspace may have the issuer of the hub.
      at('one', { issuer, workspaceId }),
    ];
    for (const session of sessions) {
      const { id, expiresAtMs } = session;
      const unnamed = {
        name: undefined,
        usedAtMs: undefined,
        agentSinceMs: undefined,
        passkeyId: undefined,
        workspaceId: undefined,
      };
      const token = { ...unnamed, id, userId, expiresAtMs, hash: newId(), last4: 'wxyz', epoch: 1 };
      const row = { ...token, kind: 'session', createdAtMs: NOW_MS } as const;
      await store.credentials.addAccessToken(row, auditEntry(workspaceId), [
        identities.addingSession(session),
      ]);
    }
    const found = async (subject: string | undefined, sid: string | undefined, of?: string) => {
      const ended = { issuer, subject, sid, workspaceId: of };
      const ids = (await identities.sessionsOf(ended, NOW_MS)).map(({ id }) => id);
      return sessions.flatMap(({ id }, index) => (ids.includes(id) ? [index] : []));
    };
    expect(await found('ada', 'one')).toEqual([0, 2]);
    expect(await found('ada', undefined)).toEqual([0, 1, 2]);
    expect(await found(undefined, 'one')).toEqual([0, 4]);
    expect(await found('ada', 'three')).toEqual([2]);
    expect(await found('bob', undefined)).toEqual([]);
    expect(await found('ada', undefined, workspaceId)).toEqual([6]);
    expect(await found(undefined, 'one', workspaceId)).toEqual([6]);
    expect(await found('ada', 'one', newId())).toEqual([]);
  });

  test('an open session is due for a check of its groups after a while, and one of many hubs takes it', async () => {
    const store = await shared();
    const { identities } = store;
    const { workspaceId, userId } = await newWorkspace(store);
    const add = async (more: object, expiresAtMs = NOW_MS + 9_000) => {
      const [id, hash] = [newId(), newId()];
      const of = { id, userId, issuer: 'https://login.example', subject: 'ada', sid: undefined };
      const check = { workspaceId, sealedRefresh: 'sealed', checkedAtMs: NOW_MS - 5_000 };
      const token = { id, hash, userId, workspaceId, expiresAtMs, last4: 'wxyz', epoch: 1 };
      const unnamed = { name: undefined, usedAtMs: undefined, agentSinceMs: undefined, passkeyId: undefined };
      const row = { ...token, ...unnamed, kind: 'session', createdAtMs: NOW_MS } as const;
      const session = { ...of, ...check, expiresAtMs, ...more };
      await store.credentials.addAccessToken(row, auditEntry(workspaceId), [
        identities.addingSession(session),
      ]);
      return id;
    };
    const due = await add({});
    await add({ checkedAtMs: NOW_MS - 4_999 });
    await add({ sealedRefresh: undefined, checkedAtMs: undefined });
    await add({}, NOW_MS);
    const found = async () => {
      const all = await identities.sessionsToCheck(NOW_MS - 5_000, NOW_MS, 1_000);
      return all.filter((one) => one.workspaceId === workspaceId);
    };
    const [session] = await found();
    expect(await found()).toMatchObject([{ id: due, subject: 'ada', sealedRefresh: 'sealed', userId }]);
    if (session === undefined) throw new Error('nothing is due');
    const claims = await Promise.all(
      Array.from({ length: 10 }, () => identities.claimCheck(session, NOW_MS)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await found()).toEqual([]);
    await identities.renewCheck(due, 'renewed');
    expect(await identities.sessionsToCheck(NOW_MS, NOW_MS, 1_000)).toContainEqual(
      expect.objectContaining({ id: due, sealedRefresh: 'renewed', checkedAtMs: NOW_MS }),
    );
  });

  test('a return is used once by many concurrent requests', async () => {
    const { identities } = await shared();
    const id = newId();
    const uses = await Promise.all(Array.from({ length: 20 }, () => identities.useSignIn(id, NOW_MS)));
    expect(uses.filter(Boolean)).toHaveLength(1);
  });
});

import { expect, test } from 'bun:test';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

onBothDatabases(({ shared }) => {
  test('a sign-out at the provider finds the sessions of its session, and those without a name', async () => {
    const store = await shared();
    const { providerSessions } = store;
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
        providerSessions.adding(session),
      ]);
    }
    const found = async (subject: string | undefined, sid: string | undefined, of?: string) => {
      const ended = { issuer, subject, sid, workspaceId: of };
      const ids = (await providerSessions.endedBy(ended, NOW_MS)).map(({ id }) => id);
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
    const { providerSessions } = store;
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
        providerSessions.adding(session),
      ]);
      return id;
    };
    const due = await add({});
    await add({ checkedAtMs: NOW_MS - 4_999 });
    await add({ sealedRefresh: undefined, checkedAtMs: undefined });
    await add({}, NOW_MS);
    const found = async () => {
      const all = await providerSessions.toCheck(NOW_MS - 5_000, NOW_MS, 1_000);
      return all.filter((one) => one.workspaceId === workspaceId);
    };
    const [session] = await found();
    expect(await found()).toMatchObject([{ id: due, subject: 'ada', sealedRefresh: 'sealed', userId }]);
    if (session === undefined) throw new Error('nothing is due');
    const claims = await Promise.all(
      Array.from({ length: 10 }, () => providerSessions.claimCheck(session, NOW_MS)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await found()).toEqual([]);
    await providerSessions.renewCheck(due, 'renewed');
    expect(await providerSessions.toCheck(NOW_MS, NOW_MS, 1_000)).toContainEqual(
      expect.objectContaining({ id: due, sealedRefresh: 'renewed', checkedAtMs: NOW_MS }),
    );
  });
});

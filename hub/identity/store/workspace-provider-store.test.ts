import { expect, test } from 'bun:test';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { WorkspaceProvider } from '../identity-ports.ts';

const providerOf = (workspaceId: string, more: Partial<WorkspaceProvider> = {}): WorkspaceProvider => ({
  workspaceId,
  issuer: 'https://login.example',
  clientId: 'svc',
  sealedSecret: 'sealed',
  name: 'Example',
  scopes: 'openid email',
  groupsClaim: 'groups',
  revision: 1,
  createdAtMs: NOW_MS,
  updatedAtMs: NOW_MS,
  ...more,
});

onBothDatabases(({ shared }) => {
  const named = async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const provider = providerOf(workspaceId);
    const change = { from: undefined, to: provider, rule: 'offered', isOther: false } as const;
    expect(await store.workspaceProviders.set(change, auditEntry(workspaceId))).toBe(true);
    return { store, providers: store.workspaceProviders, workspaceId, userId, provider };
  };

  test('a provider is kept as stored, and its workspace says how people sign in', async () => {
    const { store, providers, workspaceId, provider } = await named();
    expect(await providers.find(workspaceId)).toEqual(provider);
    expect((await store.accounts.workspaceById(workspaceId))?.signIn).toBe('offered');
    const public_ = providerOf(workspaceId, { sealedSecret: undefined, groupsClaim: undefined, revision: 2 });
    const change = { from: provider, to: public_, rule: 'required', isOther: true } as const;
    expect(await providers.set(change, auditEntry(workspaceId))).toBe(true);
    expect(await providers.find(workspaceId)).toEqual(public_);
    expect((await store.accounts.workspaceById(workspaceId))?.signIn).toBe('required');
  });

  test('one of many concurrent changes of one revision is stored', async () => {
    const { store, providers, workspaceId, provider } = await named();
    const set = (from: WorkspaceProvider | undefined, name: string) =>
      providers.set(
        { from, to: providerOf(workspaceId, { name, revision: 2 }), rule: 'required', isOther: false },
        auditEntry(workspaceId),
      );
    const names = Array.from({ length: 10 }, (_, index) => `provider ${index}`);
    const stored = await Promise.all(names.map((one) => set(provider, one)));
    expect(stored.filter(Boolean)).toHaveLength(1);
    expect((await providers.find(workspaceId))?.name).toBe(names[stored.indexOf(true)] ?? '');
    // A first provider, where there is one.
    expect(await set(undefined, 'another')).toBe(false);
    expect((await store.accounts.workspaceById(workspaceId))?.signIn).toBe('required');
  });

  test('a person is linked for one workspace and issuer, to one user', async () => {
    const { store, providers, workspaceId, userId } = await named();
    const other = await newWorkspace(store);
    const identity = {
      ...{ id: newId(), workspaceId, issuer: 'https://login.example', subject: newId(), userId },
      ...{ email: undefined, createdAtMs: NOW_MS, usedAtMs: NOW_MS },
    };
    const { issuer, subject } = identity;
    expect(await providers.link(identity, auditEntry(workspaceId))).toBe('stored');
    expect(await providers.identity(workspaceId, issuer, subject)).toEqual(identity);
    expect(await providers.identity(other.workspaceId, issuer, subject)).toBeUndefined();
    expect(await providers.identity(workspaceId, 'https://other.example', subject)).toBeUndefined();
    const stolen = { ...identity, id: newId(), userId: other.userId };
    expect(await providers.link(stolen, auditEntry(workspaceId))).toBe('taken');
    const elsewhere = { ...stolen, workspaceId: other.workspaceId };
    expect(await providers.link(elsewhere, auditEntry(other.workspaceId))).toBe('stored');
    expect(
      await providers.unlink({ userId: other.userId, id: identity.id }, [], auditEntry(workspaceId)),
    ).toBe(false);
    await providers.touch(identity.id, 'new@example.org', NOW_MS + 1);
    expect(await providers.identitiesOf(userId)).toMatchObject([
      { id: identity.id, email: 'new@example.org', usedAtMs: NOW_MS + 1 },
    ]);
    expect(await providers.unlink({ userId, id: identity.id }, [], auditEntry(workspaceId))).toBe(true);
    expect(await providers.identitiesOf(userId)).toEqual([]);
  });

  test('the end of a provider ends its links and sessions, and a session of an earlier one is not stored', async () => {
    const { store, providers, workspaceId, userId, provider } = await named();
    const identity = {
      ...{ id: newId(), workspaceId, issuer: provider.issuer, subject: 's', userId },
      ...{ email: 'a@example.org', createdAtMs: NOW_MS, usedAtMs: NOW_MS },
    };
    await providers.link(identity, auditEntry(workspaceId));
    const [membership] = await store.memberGroups.ofUser(userId);
    if (membership === undefined) throw new Error('no membership');
    expect(await store.memberGroups.store(membership, userId, ['db'], undefined)).toBe(true);
    const session = (ofWorkspace: string | undefined) => ({
      ...{ id: newId(), userId, workspaceId: ofWorkspace, hash: newId(), last4: 'wxyz', epoch: 0 },
      ...{ kind: 'session' as const, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 9_000, name: undefined },
      ...{ usedAtMs: undefined, agentSinceMs: undefined, passkeyId: undefined },
    });
    const add = (row: ReturnType<typeof session>, revision: number) =>
      store.credentials.addAccessToken(row, auditEntry(workspaceId), [
        providers.staying({ workspaceId, revision }),
      ]);
    const [own, bound] = [session(undefined), session(workspaceId)];
    expect(await add(own, 1)).toBe('stored');
    expect(await add(bound, 1)).toBe('stored');
    expect(await add(session(workspaceId), 2)).toBe('changed');
    expect(await providers.remove(workspaceId, auditEntry(workspaceId))).toBe(true);
    expect(await providers.remove(workspaceId, auditEntry(workspaceId))).toBe(false);
    expect(await add(session(workspaceId), 1)).toBe('changed');
    const expiries = [own, bound].map(
      async ({ hash }) => (await store.credentials.accessTokenByHash(hash))?.expiresAtMs,
    );
    expect(await Promise.all(expiries)).toEqual([NOW_MS + 9_000, NOW_MS]);
    expect(await providers.identitiesOf(userId)).toEqual([]);
    expect((await store.memberGroups.ofUser(userId)).map(({ groups }) => groups)).toEqual([[]]);
    expect(await providers.find(workspaceId)).toBeUndefined();
    expect((await store.accounts.workspaceById(workspaceId))?.signIn).toBeUndefined();
  });
});

import { expect, test } from 'bun:test';
import type { AiAccess } from '@svc/core/mcp/ai-access';
import type { Refusal } from '@svc/core/refusal';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { changeUsername } from '../change-username.ts';

onBothDatabases(({ shared }) => {
  test('a new user has a workspace, without a username, and owns it', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store, 'Lin@Example.org');
    const workspace = {
      id: workspaceId,
      username: undefined,
      ownerId: userId,
      plan: 'free' as const,
      aiAccess: undefined,
      signIn: undefined,
      secondFactor: undefined,
    };
    expect(await store.accounts.workspaceById(workspaceId)).toEqual(workspace);
    expect(await store.accounts.workspacesOf(userId)).toEqual([{ workspace, role: 'owner' }]);
    expect(await store.accounts.member(workspaceId, userId)).toEqual({
      userId,
      email: 'Lin@Example.org',
      workspaceId,
      role: 'owner',
      epoch: 0,
      hasSecondFactor: false,
    });
    expect(await store.accounts.userById(userId)).toEqual({ id: userId, email: 'Lin@Example.org' });
  });

  test('of two changes of the access of AI agents from one state the second is not stored', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store, 'access@example.org');
    const change = (from: AiAccess, to: AiAccess) =>
      store.accounts.changeAiAccess({ workspaceId, from, to }, auditEntry(workspaceId));
    expect([await change('all', 'off'), await change('all', 'read_only')]).toEqual([true, false]);
    expect((await store.accounts.workspaceById(workspaceId))?.aiAccess).toBe('off');
    expect([await change('off', 'all'), await change('all', 'read_only')]).toEqual([true, true]);
  });

  test('addresses that differ in case are one user', async () => {
    const store = await shared();
    const { userId } = await newWorkspace(store, 'Ada@Example.org');
    expect(await store.accounts.userByEmail('aDA@eXAMPLE.ORG')).toEqual({
      id: userId,
      email: 'Ada@Example.org',
    });
    const workspaceId = newId();
    const again = {
      id: newId(),
      email: 'ada@example.org',
      workspaceId,
      plan: 'free',
      nowMs: NOW_MS,
    } as const;
    expect(await store.accounts.createUser(again, auditEntry(workspaceId))).toEqual({
      id: userId,
      email: 'Ada@Example.org',
    });
    expect(await store.accounts.workspaceById(workspaceId)).toBeUndefined();
  });

  test('sign-ups of one address at the same moment make one user and one workspace', async () => {
    const store = await shared();
    const made = await Promise.all(
      Array.from({ length: 20 }, () => newWorkspace(store, 'grace@example.org')),
    );
    const [{ userId } = { userId: '' }] = made;
    expect(new Set(made.map((one) => one.userId))).toEqual(new Set([userId]));
    expect(await store.accounts.workspacesOf(userId)).toHaveLength(1);
  });

  test('a username is chosen once', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store);
    expect(await store.usernames.choose(workspaceId, 'acme', auditEntry(workspaceId))).toBe('stored');
    expect(await store.accounts.workspaceByUsername('acme')).toMatchObject({
      id: workspaceId,
      username: 'acme',
    });
    expect(await store.usernames.choose(workspaceId, 'apex', auditEntry(workspaceId))).toBe('chosen_already');
    expect(await store.accounts.workspaceByUsername('apex')).toBeUndefined();
    // A refused username is not reserved either.
    const other = await newWorkspace(store);
    expect(await store.usernames.choose(other.workspaceId, 'apex', auditEntry(other.workspaceId))).toBe(
      'stored',
    );
  });

  test('one of many workspaces that choose the same username at once gets it', async () => {
    const store = await shared();
    const workspaces = await Promise.all(Array.from({ length: 12 }, () => newWorkspace(store)));
    const outcomes = await Promise.all(
      workspaces.map(({ workspaceId }) =>
        store.usernames.choose(workspaceId, 'wanted', auditEntry(workspaceId)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(11);
  });

  test('one of many workspaces that change to, or choose, the same username at once gets it', async () => {
    const store = await shared();
    const workspaces = await Promise.all(Array.from({ length: 12 }, () => newWorkspace(store)));
    const from = await Promise.all(
      workspaces.map(async ({ workspaceId }, n) => {
        const username = `from-${n}`;
        if (n % 2 === 0) await store.usernames.choose(workspaceId, username, auditEntry(workspaceId));
        return await store.accounts.workspaceById(workspaceId);
      }),
    );
    const outcomes = await Promise.all(
      from.map((workspace) => {
        if (workspace === undefined) throw new Error('there is no workspace');
        const entry = auditEntry(workspace.id);
        if (workspace.username === undefined) return store.usernames.choose(workspace.id, 'contested', entry);
        const { username } = workspace;
        const change = {
          workspace,
          from: username,
          to: 'contested',
          former: [username],
          oldUrls: 'gone',
        } as const;
        return store.usernames.change(change, entry);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(11);
  });

  test('a workspace keeps every former username, also of changes at the same moment', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store);
    await store.usernames.choose(workspaceId, 'first-name', auditEntry(workspaceId));
    const deps = { ...store, clock: { nowMs: () => NOW_MS, at: () => () => undefined } };
    const openStreams = { recheck: () => Promise.resolve() };
    const by = auditEntry(workspaceId);
    await Promise.all(
      ['name-b', 'name-c', 'name-d', 'first-name'].map((username) =>
        changeUsername({ ...deps, openStreams }, { workspaceId, username, oldUrls: 'redirect' }, by).catch(
          // This name is the present username at that moment.
          (error: Refusal) => expect(error.code).toBe('invalid_argument'),
        ),
      ),
    );
    const workspace = await store.accounts.workspaceById(workspaceId);
    const all = [...(workspace?.formerUsernames ?? []), workspace?.username].sort();
    expect(all).toEqual(['first-name', 'name-b', 'name-c', 'name-d']);
    const former = await store.usernames.formerOf(workspaceId);
    expect(former.map(({ username }) => username).sort()).toEqual(
      [...(workspace?.formerUsernames ?? [])].sort(),
    );
    for (const { username } of former) {
      expect(await store.usernames.former(username)).toMatchObject({
        workspaceId,
        present: workspace?.username,
      });
      expect(await store.accounts.workspaceByAnyUsername(username)).toMatchObject({ id: workspaceId });
      expect(await store.accounts.workspaceByUsername(username)).toBeUndefined();
    }
    expect(await store.usernames.former(workspace?.username ?? '')).toBeUndefined();
  });

  test('a stranger is not a member, and unknown ids find nothing', async () => {
    const store = await shared();
    const [one, other] = [await newWorkspace(store), await newWorkspace(store)];
    expect(await store.accounts.member(one.workspaceId, other.userId)).toBeUndefined();
    expect(await store.accounts.workspacesOf(newId())).toEqual([]);
    expect(await store.accounts.userById(newId())).toBeUndefined();
    expect(await store.accounts.userByEmail('nobody@example.org')).toBeUndefined();
  });
});

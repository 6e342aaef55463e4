import { expect, test } from 'bun:test';
import type { Store } from '../../build/create-store.ts';
import { auditEntry, NOW_MS, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

/** Stores groups for the owner of a new workspace, as far as it still has those of `before`. */
const storing = ({ memberGroups }: Store, workspaceId: string, userId: string) => {
  const membership = { workspaceId, role: 'owner', viaGroup: undefined, signIn: undefined } as const;
  const at = (groups: readonly string[]) => ({ ...membership, username: undefined, groups });
  return (before: readonly string[], after: readonly string[]) =>
    memberGroups.store(at(before), userId, after, auditEntry(workspaceId));
};

onBothDatabases(({ shared }) => {
  test('groups are those of the last sign-in, and stored only over those that were read', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const set = storing(store, workspaceId, userId);
    const stored = async () => [
      (await store.memberGroups.ofWorkspace(workspaceId)).get(userId),
      (await store.memberGroups.ofUser(userId)).map(({ groups }) => groups),
    ];
    expect(await stored()).toEqual([undefined, [[]]]);
    expect(await set([], ['db', 'a', 'db'])).toBe(true);
    expect(await stored()).toEqual([['a', 'db'], [['a', 'db']]]);
    expect(await set([], ['b'])).toBe(false);
    expect(await set(['a'], ['b'])).toBe(false);
    expect(await set(['db', 'a'], [])).toBe(true);
    expect(await stored()).toEqual([[], [[]]]);
  });

  test('one of many concurrent sign-ins with the same groups before is stored', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newWorkspace(store);
    const set = storing(store, workspaceId, userId);
    await set([], ['db']);
    const sets = await Promise.all(Array.from({ length: 10 }, (_, index) => set(['db'], [`g${index}`])));
    expect(sets.filter(Boolean)).toHaveLength(1);
    const winner = [`g${sets.indexOf(true)}`];
    expect((await store.memberGroups.ofWorkspace(workspaceId)).get(userId)).toEqual(winner);
  });

  test('groups belong to a membership, and a new one begins without them', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store);
    const lin = await newWorkspace(store);
    const set = storing(store, workspaceId, lin.userId);
    expect(await set([], ['db'])).toBe(false);
    const change = async (kind: 'join' | 'leave', atMs: number) => {
      const team = await store.teams.load(workspaceId);
      if (team === undefined) throw new Error('no team');
      const made = {
        kind: 'joined_by_group',
        userId: lin.userId,
        role: 'member',
        group: 'run',
        atMs,
      } as const;
      const gone = { kind: 'removed', userId: lin.userId, mail: undefined, atMs } as const;
      return store.teams.store(team, kind === 'join' ? made : gone, auditEntry(workspaceId));
    };
    await change('join', NOW_MS);
    expect(await set([], ['db'])).toBe(true);
    await change('leave', NOW_MS + 1);
    expect(await store.memberGroups.ofWorkspace(workspaceId)).toEqual(new Map());
    await change('join', NOW_MS + 2);
    expect(await store.memberGroups.ofWorkspace(workspaceId)).toEqual(new Map());
    expect(await set([], ['new'])).toBe(true);
    expect((await store.memberGroups.ofWorkspace(workspaceId)).get(lin.userId)).toEqual(['new']);
  });
});

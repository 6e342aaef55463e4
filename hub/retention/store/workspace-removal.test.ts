import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { createStore, type Store } from '../../build/create-store.ts';
import {
  announced,
  auditEntry,
  chunk,
  DAY_MS,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  STORE_OPTIONS,
  succeeded,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { TABLES_OF_USER, WORKSPACE_TABLES } from './workspace-tables.ts';

type Owner = { workspaceId: string; userId: string };

const deletion = (workspaceId: string) => auditEntry(workspaceId, { action: 'workspace.deleted' });

function begin({ workspaceRemoval }: Store, { workspaceId, userId }: Owner): Promise<boolean> {
  return workspaceRemoval.begin({ id: workspaceId, ownerId: userId }, deletion(workspaceId));
}

/** Removes all rows in steps; returns the number of steps. */
async function removeAll({ workspaceRemoval }: Store, workspaceId: string, most = 1_000): Promise<number> {
  for (let pieces = 1; pieces <= most; pieces += 1) {
    const begun = (await workspaceRemoval.begun()).find(({ id }) => id === workspaceId);
    if (begun === undefined || (await workspaceRemoval.removeSome(begun)) === 'gone') return pieces;
  }
  return most;
}

const never = { previousLast4: undefined, previousUntilMs: undefined, usedAtMs: undefined };

/** A workspace with rows of every kind; returns the hash of its API key. */
async function filled(store: Store): Promise<Owner & { hash: string; executionId: string }> {
  const owner = await newWorkspace(store);
  const { workspaceId, userId: createdBy } = owner;
  const made = { id: newId(), workspaceId, createdBy, name: 'k', hash: newId(), last4: '' };
  const alive = { createdAtMs: NOW_MS, revokedAtMs: undefined };
  const { hash } = made;
  await store.credentials.addApiKey(
    { ...made, ...alive, ...never, endpoints: undefined, expiresAtMs: undefined },
    auditEntry(workspaceId),
  );
  const unbound = { agentNames: [], boundAtMs: undefined, firstInstance: undefined, isPool: false };
  const token = { ...made, ...alive, ...unbound, id: newId(), hash: newId() };
  await store.credentials.addAgentToken(token, auditEntry(workspaceId));
  const { registered } = await store.endpoints.register(
    workspaceId,
    'a',
    { endpoints: [announced('one')] },
    NOW_MS,
  );
  const endpointId = registered[0]?.id ?? '';
  const execution = newExecution({ workspaceId, endpointId });
  const claim = { endpointId, credential: 'c', key: newId(), requestHash: 'r', expiresAtMs: NOW_MS + 9 };
  const quota = { workspaceId, period: '2026-11', limit: undefined };
  await store.executions.accept(execution, quota, claim);
  await store.executions.finish(succeeded(execution.id), [chunk(execution.id, 1)]);
  return { ...owner, hash, executionId: execution.id };
}

onBothDatabases(({ shared, open, newLocation }) => {
  test('a deleted workspace is hidden at once, and its credentials stop working', async () => {
    const store = await shared();
    const one = await filled(store);
    await store.usernames.choose(one.workspaceId, `n${newId()}`, auditEntry(one.workspaceId));
    const { username = '' } = (await store.accounts.workspaceById(one.workspaceId)) ?? {};
    expect(await begin(store, one)).toBe(true);
    expect(await store.accounts.workspaceById(one.workspaceId)).toBeUndefined();
    expect(await store.accounts.workspaceByUsername(username)).toBeUndefined();
    expect(await store.accounts.workspacesOf(one.userId)).toEqual([]);
    expect(await store.accounts.member(one.workspaceId, one.userId)).toBeUndefined();
    expect(await store.teams.load(one.workspaceId)).toBeUndefined();
    expect((await store.credentials.apiKeyByHash(one.hash))?.revokedAtMs).toBe(NOW_MS);
    const head = await store.audit.head(one.workspaceId);
    expect(head).toMatchObject({ closedAtMs: NOW_MS });
    expect(await store.audit.recordsAfter(one.workspaceId, 0, 9)).toHaveLength(1);
    await removeAll(store, one.workspaceId);
    expect(await store.audit.head(one.workspaceId)).toEqual(head);
    const other = await newWorkspace(store);
    const chosen = await store.usernames.choose(other.workspaceId, username, auditEntry(other.workspaceId));
    expect(chosen).toBe('taken');
  });

  test('one of two concurrent deletions wins', async () => {
    const store = await shared();
    const one = await newWorkspace(store);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => begin(store, one).catch(() => 'it is closed already')),
    );
    expect(outcomes.filter((outcome) => outcome === true)).toHaveLength(1);
  });

  test('all its rows and its owner are removed, and nothing of others', async () => {
    const location = await newLocation();
    await using store = await open(location);
    const [one, other] = [await filled(store), await filled(store)];
    await begin(store, one);
    await removeAll(store, one.workspaceId);
    expect(await store.accounts.userById(one.userId)).toBeUndefined();
    expect(await store.credentials.apiKeyByHash(one.hash)).toBeUndefined();
    expect(await store.executions.find(one.executionId)).toBeUndefined();
    expect(await store.executions.output(one.executionId, 0, 9)).toEqual([]);
    expect(await store.endpoints.list(one.workspaceId)).toEqual([]);
    expect(await store.executions.quotaUsed(one.workspaceId, '2026-11')).toBe(0);
    expect(await store.executions.output(other.executionId, 0, 9)).toHaveLength(1);
    expect(await store.endpoints.list(other.workspaceId)).toHaveLength(1);
    expect(await store.workspaceRemoval.begun()).toEqual([]);
  });

  test('the removal takes small steps, and another hub or the next start continues it', async () => {
    const location = await newLocation();
    const one = await (async () => {
      await using store = await open(location);
      const made = await filled(store);
      for (let n = 0; n < 500; n += 1)
        await store.executions.accept(newExecution({ workspaceId: made.workspaceId, state: 'rejected' }));
      await begin(store, made);
      expect(await removeAll(store, made.workspaceId, 2)).toBe(2);
      return made;
    })();
    await using first = await open(location);
    await using second = await open(location);
    expect(await first.workspaceRemoval.begun()).toMatchObject([{ id: one.workspaceId }]);
    const pieces = await Promise.all([first, second].map((store) => removeAll(store, one.workspaceId)));
    expect(Math.max(...pieces)).toBeGreaterThan(2);
    expect(await first.accounts.userById(one.userId)).toBeUndefined();
  });

  test('an owner who is in a team stays, and can get one empty workspace', async () => {
    const location = await newLocation();
    await using store = await open(location);
    await using other = await open(location);
    const [one, team] = [await newWorkspace(store), await newWorkspace(store)];
    const user = (await store.accounts.userById(one.userId)) ?? { id: '', email: '' };
    const loaded = await store.teams.load(team.workspaceId);
    if (loaded === undefined) throw new Error('there is no team');
    const { email } = user;
    const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 9, closedAtMs: NOW_MS };
    const about = { id: newId(), workspaceId: team.workspaceId, email, role: 'member' } as const;
    const invite = { ...about, ...times, state: 'accepted', generation: 1, invitedBy: team.userId } as const;
    const joined = { kind: 'joined', invite, userId: one.userId, atMs: NOW_MS } as const;
    expect(await store.teams.store(loaded, joined, auditEntry(team.workspaceId))).toBe(true);
    await begin(store, one);
    const anew = ({ accounts }: Store) => {
      const id = newId();
      const workspace = { id, userId: one.userId, plan: 'free', nowMs: NOW_MS, limit: 1 } as const;
      return accounts.createWorkspace(workspace, auditEntry(id));
    };
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => anew(n % 2 === 0 ? store : other)));
    expect(made.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    await removeAll(store, one.workspaceId);
    const roles = (await store.accounts.workspacesOf(one.userId)).map(({ role }) => role);
    expect(roles.toSorted()).toEqual(['member', 'owner']);
  });
});

onBothDatabases(({ shared }) => {
  test('the sessions of an owner end with their first workspace that is left, not with a later one', async () => {
    const store = await shared();
    const first = await newWorkspace(store);
    const another = async (nowMs: number) => {
      const id = newId();
      const workspace = { id, userId: first.userId, plan: 'free', nowMs, limit: 9 } as const;
      expect(await store.accounts.createWorkspace(workspace, auditEntry(id))).toBe('stored');
      return { workspaceId: id, userId: first.userId };
    };
    const [second, third] = [await another(NOW_MS + 1), await another(NOW_MS + 2)];
    const isOpenAfter = async (deleted: { workspaceId: string; userId: string }) => {
      const session = {
        ...{
          id: newId(),
          kind: 'session' as const,
          userId: first.userId,
          workspaceId: undefined,
          hash: newId(),
        },
        ...{ last4: 'wxyz', createdAtMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS, epoch: 0, name: undefined },
        ...{ usedAtMs: undefined, agentSinceMs: undefined, passkeyId: undefined },
      } as const;
      await store.credentials.addAccessToken(session, auditEntry(third.workspaceId));
      await begin(store, deleted);
      const stored = await store.credentials.accessTokenByHash(session.hash);
      return stored !== undefined && stored.expiresAtMs > NOW_MS;
    };
    // The rows of the first one are still there when the second one, which is the first then, is deleted.
    expect([await isOpenAfter(first), await isOpenAfter(second)]).toEqual([false, false]);
    const fourth = await another(NOW_MS + 3);
    expect(await isOpenAfter(fourth)).toBe(true);
  });
});

describe('every table', () => {
  test('with rows of a workspace is emptied with the workspace', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'x.db');
    await using _store = await createStore({ kind: 'sqlite', file }, STORE_OPTIONS);
    using database = new Database(file);
    const owning = database
      .query<{ name: string }, []>(
        `select m.name from sqlite_master m join pragma_table_info(m.name) c
           where m.type = 'table' and c.name in ('workspace_id', 'endpoint_id', 'execution_id', 'run_id')`,
      )
      .all()
      .map(({ name }) => name);
    // The log is closed, the name is kept, output goes with its execution, and what is still to be counted is forgotten then.
    const others = [
      ...['audit_entries', 'audit_heads', 'usernames'],
      ...['output_chunks', 'execution_output', 'execution_counts_by_trigger'],
      // A trigger removes them with the execution.
      ...['output_search_documents', 'output_search_pending'],
    ];
    const emptied: string[] = WORKSPACE_TABLES.map(([table]) => table);
    expect([...emptied, ...others].sort()).toEqual([...new Set(owning)].sort());
  });

  test('with rows of a user is emptied with the user', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'x.db');
    await using _store = await createStore({ kind: 'sqlite', file }, STORE_OPTIONS);
    using database = new Database(file);
    const owning = database
      .query<{ name: string }, []>(
        `select m.name from sqlite_master m join pragma_table_info(m.name) c on c.name = 'user_id' where m.type = 'table'`,
      )
      .all()
      .map(({ name }) => name);
    const ofWorkspaces: string[] = WORKSPACE_TABLES.map(([table]) => table);
    // Their rows are of a user also where they are of a workspace, which may be that of others.
    const ofBoth = ['access_tokens', 'provider_sessions', 'workspace_identities'];
    expect(owning.filter((name) => !ofWorkspaces.includes(name) || ofBoth.includes(name)).sort()).toEqual([
      ...TABLES_OF_USER,
    ]);
  });
});

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { createStore } from '../../build/create-store.ts';
import {
  auditEntry,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  STORE_OPTIONS,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { Secret } from '../secret-ports.ts';
import { SEALED_COLUMNS } from './sealed-texts.ts';

const LIMIT = 1_000;
const secret = (workspaceId: string, name: string, more: Partial<Secret> = {}): Secret => ({
  workspaceId,
  name,
  sealed: `v1.aaaa.${name}`,
  agents: undefined,
  grantedAtMs: NOW_MS,
  createdAtMs: NOW_MS,
  updatedAtMs: NOW_MS,
  updatedBy: 'u1',
  ...more,
});

test('lists every sealed column of the schema', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'svc.db');
  await using _store = await createStore({ kind: 'sqlite', file }, STORE_OPTIONS);
  using database = new Database(file, { readonly: true });
  const columns = database
    .query(
      "select t.name || '.' || c.name as place from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'",
    )
    .all() as { place: string }[];
  const sealed = columns
    .map(({ place }) => place)
    .filter((place) => /\.(sealed|previous_secret|request_hash)/.test(place));
  expect(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    sealed.toSorted(),
  );
});

onBothDatabases(({ shared, open }) => {
  test('concurrent requests do not exceed the limit of secrets; an existing secret can still be replaced', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store);
    const entries = async () => (await store.audit.recordsAfter(workspaceId, 0, 100)).length;
    const before = await entries();
    const set = (name: string) => store.secrets.set(secret(workspaceId, name), 3, auditEntry(workspaceId));
    const all = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map(set));
    expect(all.filter(Boolean)).toHaveLength(3);
    const there = (await store.secrets.list(workspaceId)).map(({ name }) => name);
    expect(there).toHaveLength(3);
    expect(await set(there[0] ?? '')).toBe(true);
    expect((await entries()) - before).toBe(4);
  });

  test('a secret reads back as stored, and a replaced one keeps its creation time', async () => {
    const store = await shared();
    const { workspaceId } = await newWorkspace(store);
    const entry = auditEntry(workspaceId);
    const [b, a] = [secret(workspaceId, 'B', { agents: ['x', 'y'] }), secret(workspaceId, 'A')];
    for (const one of [b, a]) await store.secrets.set(one, LIMIT, entry);
    expect(await store.secrets.list(workspaceId)).toEqual([a, b]);
    expect(await store.secrets.find(workspaceId, 'B')).toEqual(b);
    const later = { sealed: 'v1.bbbb.new', agents: undefined, updatedAtMs: NOW_MS + 5, updatedBy: 'u2' };
    await store.secrets.set({ ...b, ...later, createdAtMs: NOW_MS + 5 }, LIMIT, entry);
    expect(await store.secrets.find(workspaceId, 'B')).toEqual({ ...b, ...later });
  });

  test('a secret belongs to one workspace, and each change has an audit entry', async () => {
    const store = await shared();
    const [own, foreign] = [await newWorkspace(store), await newWorkspace(store)];
    await store.secrets.set(secret(own.workspaceId, 'A'), LIMIT, auditEntry(own.workspaceId));
    expect(await store.secrets.find(foreign.workspaceId, 'A')).toBeUndefined();
    expect(await store.secrets.remove(foreign.workspaceId, 'A', auditEntry(foreign.workspaceId))).toBe(false);
    expect(await store.secrets.remove(own.workspaceId, 'A', auditEntry(own.workspaceId))).toBe(true);
    expect(await store.secrets.list(own.workspaceId)).toEqual([]);
    // Includes the entry for the creation of the workspace.
    expect(await store.audit.head(own.workspaceId)).toMatchObject({ seq: 3 });
    expect(await store.audit.head(foreign.workspaceId)).toMatchObject({ seq: 1 });
  });

  test('finds texts of another key page by page, and replaces one only when it is unchanged', async () => {
    await using store = await open();
    const workspaces = [await newWorkspace(store), await newWorkspace(store)];
    for (const { workspaceId } of workspaces)
      for (const name of ['A', 'B', 'C'])
        await store.secrets.set(secret(workspaceId, name), LIMIT, auditEntry(workspaceId));
    const newKey = { sealed: 'v1.bbbb.x' };
    await store.secrets.set(secret(workspaces[0]?.workspaceId ?? '', 'B', newKey), LIMIT, auditEntry('w1'));
    const [sealed, plain] = [newExecution({ sealedArgs: 'v1.aaaa.args' }), newExecution({ id: newId() })];
    for (const execution of [sealed, plain]) await store.executions.accept(execution);

    const found: string[] = [];
    for (const place of ['secrets.sealed', 'executions.sealed_args']) {
      let [last] = await store.sealedTexts.notUnder('bbbb', place, undefined, 1);
      while (last !== undefined) {
        found.push(last.id);
        [last] = await store.sealedTexts.notUnder('bbbb', place, last, 1);
      }
    }
    expect(found).toEqual(['A', 'C', 'A', 'B', 'C', sealed.id]);

    const [text] = await store.sealedTexts.notUnder('bbbb', 'executions.sealed_args', undefined, 10);
    if (text === undefined) throw new Error('it is there');
    expect(await store.sealedTexts.replace({ ...text, sealed: 'v1.aaaa.other' }, 'v1.bbbb.new')).toBe(false);
    expect(await store.sealedTexts.replace(text, 'v1.bbbb.new')).toBe(true);
    expect((await store.executions.find(sealed.id))?.sealedArgs).toBe('v1.bbbb.new');
    expect(await store.sealedTexts.notUnder('bbbb', 'executions.sealed_args', undefined, 10)).toEqual([]);
  });
});

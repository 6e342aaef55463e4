import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import {
  auditEntry,
  DAY_MS,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  succeeded,
} from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { type Artifact, UPLOAD_UNFINISHED } from './artifact-ports.ts';
import { SWEPT_AT_ONCE } from './store/artifact-store.ts';
import { sweepArtifacts } from './sweep-artifacts.ts';

let folder: TemporaryFolder;
let files: FolderFiles;
beforeEach(async () => {
  folder = await temporaryFolder();
  files = new FolderFiles(folder.path);
});
afterEach(() => folder[Symbol.asyncDispose]());

const clock = { nowMs: () => NOW_MS };
const NEVER = new AbortController().signal;
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function artifact(executionId: string, id: number): Artifact {
  return {
    ...{ executionId, id, workspaceId: 'w1', name: `file-${id}`, size: 3, createdAtMs: NOW_MS },
    ...{ state: 'uploading', reason: undefined, sha256: undefined },
  };
}

async function write(executionId: string, id: number): Promise<void> {
  const bytes = new Blob(['abc']).stream();
  expect(await files.append({ executionId, id }, 0, bytes, async () => 3)).toBe(3);
}

onBothDatabases(({ open }) => {
  test('after a sweep there is no file without a record, and no upload without its execution', async () => {
    await using store = await open();
    const { artifacts, executions } = store;
    const [running, ended, removed] = [newId(NOW_MS), newId(NOW_MS), newId(NOW_MS)];
    for (const id of [running, ended]) {
      await executions.accept(newExecution({ id }));
      await artifacts.add([1, 2, 3].map((number) => artifact(id, number)));
      await artifacts.end({ executionId: id, id: 2 }, { sha256: SHA256 });
      await artifacts.end({ executionId: id, id: 3 }, { reason: 'it is gone' });
    }
    await executions.finish(succeeded(ended), []);
    await artifacts.add([artifact(removed, 1)]);
    for (const id of [running, ended, removed]) for (const number of [1, 2, 3]) await write(id, number);
    await mkdir(join(folder.path, 'not-ours'));

    await sweepArtifacts({ artifacts, files, clock }, NEVER);

    const states = async (id: string) => (await artifacts.of(id)).map(({ state }) => state);
    expect(await states(running)).toEqual(['uploading', 'stored', 'missing']);
    expect(await states(ended)).toEqual(['missing', 'stored', 'missing']);
    expect((await artifacts.of(ended))[0]).toMatchObject({ reason: UPLOAD_UNFINISHED, size: 0 });
    expect(await states(removed)).toEqual([]);
    expect((await readdir(folder.path)).toSorted()).toEqual(['not-ours', running, ended].toSorted());
    expect((await readdir(join(folder.path, running))).toSorted()).toEqual(['1', '2']);
    expect(await readdir(join(folder.path, ended))).toEqual(['2']);
    expect(await artifacts.usedBytes('w1')).toBe(9);
  });

  test.each([
    ['free', 7, 'missing'],
    ['pro', 30, 'stored'],
  ] as const)('with the plan %s a file of more than %d days is %s', async (plan, days, state) => {
    await using store = await open();
    const { workspaceId } = await newWorkspace(store);
    await store.accounts.setPlan(workspaceId, plan, auditEntry(workspaceId));
    const [old, recent] = [newId(NOW_MS - days * DAY_MS - 1), newId(NOW_MS)];
    for (const [id, createdAtMs] of [
      [old, NOW_MS - days * DAY_MS - 1],
      [recent, NOW_MS - days * DAY_MS],
    ] as const) {
      await store.executions.accept(newExecution({ id, workspaceId }));
      await store.artifacts.add([{ ...artifact(id, 1), workspaceId, createdAtMs }]);
      await store.artifacts.end({ executionId: id, id: 1 }, { sha256: SHA256 });
      await write(id, 1);
    }

    await sweepArtifacts({ artifacts: store.artifacts, files, clock }, NEVER);

    expect((await store.artifacts.of(old))[0]).toMatchObject({ state });
    expect(await files.received({ executionId: old, id: 1 })).toBe(state === 'stored' ? 3 : 0);
    expect((await store.artifacts.of(recent))[0]).toMatchObject({ state: 'stored' });
    expect(await files.received({ executionId: recent, id: 1 })).toBe(3);
  });

  test('a sweep goes on behind the records that it reads at once', async () => {
    await using store = await open();
    const { artifacts, executions } = store;
    const { workspaceId } = await newWorkspace(store);
    await store.accounts.setPlan(workspaceId, 'free', auditEntry(workspaceId));
    const [kept, old, orphan] = [newId(NOW_MS - 20 * DAY_MS), newId(NOW_MS - 8 * DAY_MS), newId(NOW_MS)];
    for (const id of [kept, old]) await executions.accept(newExecution({ id, workspaceId }));
    const many = Array.from({ length: SWEPT_AT_ONCE }, (_, at) => artifact(kept, at + 1));
    await artifacts.add(many.map((one) => ({ ...one, workspaceId })));
    await artifacts.add([{ ...artifact(old, 1), workspaceId, createdAtMs: NOW_MS - 8 * DAY_MS }]);
    await artifacts.end({ executionId: old, id: 1 }, { sha256: SHA256 });
    await artifacts.add([artifact(orphan, 1)]);

    await sweepArtifacts({ artifacts, files, clock }, NEVER);

    expect(await artifacts.of(kept)).toHaveLength(SWEPT_AT_ONCE);
    expect(await artifacts.of(old)).toMatchObject([
      { state: 'missing', reason: 'the plan free keeps files for 7 days' },
    ]);
    expect(await artifacts.of(orphan)).toEqual([]);
  });

  test('records go with their execution', async () => {
    await using store = await open();
    const old = newId(NOW_MS - 31 * DAY_MS);
    await store.executions.accept(newExecution({ id: old }));
    await store.artifacts.add([artifact(old, 1)]);
    await store.executions.finish(succeeded(old), []);
    expect(await store.sweep(NOW_MS)).toBe(1);
    expect(await store.artifacts.of(old)).toEqual([]);
  });

  test('what is written to a file is told apart by its length, and a longer stream is refused', async () => {
    const key = { executionId: newId(NOW_MS), id: 1 };
    const append = (offset: number, text: string) =>
      files.append(key, offset, new Blob([text]).stream(), async () => 4);
    expect([
      await append(0, 'ab'),
      await append(0, 'ab'),
      await append(1, 'b'),
      await append(2, 'c'),
    ]).toEqual([2, undefined, undefined, 3]);
    expect([await append(3, 'de'), await files.received(key)]).toEqual([undefined, 3]);
    const sha256 = new Bun.CryptoHasher('sha256').update('abc').digest('hex');
    // The second one reads the file.
    expect([await files.seal(key), await files.seal(key)]).toEqual([sha256, sha256]);
  });
});

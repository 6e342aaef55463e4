import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import type { Refusal } from '@svc/core/refusal';
import { type TemporaryFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { NOW_MS, newId, newWorkspace } from '../platform/db/fixtures/samples.ts';
import { smallDisk, smallDiskMissing } from '../platform/db/fixtures/small-disk.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import type { FileKey } from '../platform/files/file-store.ts';
import { FolderFiles } from '../platform/files/folder-files.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import { AppendOrder } from './append-order.ts';
import { ByteChecks } from './byte-checks.ts';
import { announceArtifacts, appendToArtifact, endArtifact } from './receive-artifacts.ts';

const store = storeOfTests();
let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

/** An execution of a new workspace with the plan free, and what its agent can ask of the hub. */
async function receiver({ files = new FolderFiles(folder.path), isOfOneHub = true } = {}) {
  const { accounts, agents: knownAgents, hosts: knownHosts, artifacts, executions: ledger } = store();
  const clock = new HandClock();
  const mutex = new KeyedMutex();
  const deps = {
    accounts,
    artifacts,
    checks: new ByteChecks(),
    clock,
    files,
    knownAgents,
    knownHosts,
    ledger,
    mutex,
    order: isOfOneHub ? new AppendOrder(clock) : undefined,
  };
  const { workspaceId } = await newWorkspace(store());
  const execution = { id: newId(NOW_MS), workspaceId };
  const key = (id: number) => ({ executionId: execution.id, id });
  return {
    clock,
    files,
    key,
    announce: async (sizes: Readonly<Record<string, number>>) => {
      const found = Object.entries(sizes).map(([name, size]) => ({ name, size }));
      const list = { files: found, missing: [] };
      return (await announceArtifacts(deps, execution, list, { sendsPieces: false, sendsHeaders: false }))
        .uploads;
    },
    append: (id: number, offset: number, bytes: AsyncIterable<Uint8Array>) =>
      appendToArtifact(deps, key(id), offset, bytes),
    end: (id: number, sha256: string) =>
      endArtifact(deps, key(id), { sha256 }).catch(({ code }: Refusal) => code),
    rows: () => artifacts.of(execution.id),
    usedBytes: () => artifacts.usedBytes(workspaceId),
  };
}

const bytesOf = (text: string) => new Blob([text]).stream();

test('a file that is announced again with another size leaves no bytes, and takes none', async () => {
  const { announce, append, files, key, usedBytes } = await receiver();
  await announce({ 'a.txt': 6 });
  expect(await append(1, 0, bytesOf('abc'))).toEqual({ offset: 3 });
  // The body comes while the file is given up.
  const announced: Promise<unknown>[] = [];
  async function* whileGivenUp() {
    announced.push(announce({ 'a.txt': 7 }));
    yield new TextEncoder().encode('def');
  }
  await append(1, 3, whileGivenUp());
  expect(await Promise.all(announced)).toEqual([[{ file: 0, id: 1, state: 'missing', offset: 0 }]]);
  expect([await files.received(key(1)), await usedBytes()]).toEqual([0, 0]);
  const late = await append(1, 0, bytesOf('abc')).catch(({ code }: Refusal) => code);
  expect([late, await files.received(key(1))]).toEqual(['version_conflict', 0]);
});

test('a request that overtakes the one before it waits for its turn', async () => {
  const { announce, append, end, files, key } = await receiver();
  expect(await announce({ 'a.txt': 6 })).toMatchObject([{ requests: 2 }]);
  const sha256 = new Bun.CryptoHasher('sha256').update('abcdef').digest('hex');
  const second = append(1, 3, bytesOf('def'));
  expect(await Promise.all([append(1, 0, bytesOf('abc')), second])).toEqual([{ offset: 3 }, { offset: 6 }]);
  expect(await end(1, sha256)).toEqual({ state: 'stored' });
  expect(await files.received(key(1))).toBe(6);
});

test('a request is refused if the one before it does not come', async () => {
  const { announce, append, clock } = await receiver();
  await announce({ 'a.txt': 6 });
  const waits = Promise.withResolvers<void>();
  const at = clock.at.bind(clock);
  clock.at = (atMs, action) => {
    waits.resolve();
    return at(atMs, action);
  };
  const second = append(1, 3, bytesOf('def')).catch(({ code }: Refusal) => code);
  await waits.promise;
  clock.move(5_000);
  expect(await second).toBe('version_conflict');
});

test('where other hubs share the folder, an agent sends one request at a time', async () => {
  const { announce, append } = await receiver({ isOfOneHub: false });
  expect(await announce({ 'a.txt': 6 })).toMatchObject([{ requests: 1 }]);
  expect(await append(1, 3, bytesOf('def')).catch(({ code }: Refusal) => code)).toBe('version_conflict');
});

test('bytes with another hash are dropped, and the upload begins again', async () => {
  const { announce, append, end, files, key, rows } = await receiver();
  const sha256 = new Bun.CryptoHasher('sha256').update('abc').digest('hex');
  const other = '0'.repeat(64);
  await announce({ 'a.txt': 3 });
  await append(1, 0, bytesOf('abd'));
  expect([await end(1, sha256), await files.received(key(1))]).toEqual(['version_conflict', 0]);
  expect(await rows()).toMatchObject([{ state: 'uploading' }]);
  await append(1, 0, bytesOf('abc'));
  expect(await end(1, sha256)).toEqual({ state: 'stored' });
  expect([await end(1, sha256), await end(1, other)]).toEqual([{ state: 'stored' }, 'version_conflict']);
});

test.each([
  ['was given up', (_: string) => ({ reason: 'its upload was given up' }), 'version_conflict', 'missing'],
  ['was stored with other bytes', (_: string) => ({ sha256: '0'.repeat(64) }), 'version_conflict', 'stored'],
  ['was stored by another hub', (sha256: string) => ({ sha256 }), { state: 'stored' }, 'stored'],
] as const)('a file that %s while its bytes were compared', async (_, change, answer, state) => {
  const sha256 = new Bun.CryptoHasher('sha256').update('abc').digest('hex');
  class Files extends FolderFiles {
    override async seal(key: FileKey): Promise<string> {
      const sealed = await super.seal(key);
      await store().artifacts.end(key, change(sha256));
      return sealed;
    }
  }
  const { announce, append, end, rows } = await receiver({ files: new Files(folder.path) });
  await announce({ 'a.txt': 3 });
  await append(1, 0, bytesOf('abc'));
  expect(await end(1, sha256)).toEqual(answer);
  expect(await rows()).toMatchObject([{ state }]);
});

test('a file that is stored while another size is announced keeps its bytes', async () => {
  const { announce, append, files, key, rows } = await receiver();
  await announce({ 'a.txt': 3 });
  await append(1, 0, bytesOf('abc'));
  const sha256 = new Bun.CryptoHasher('sha256').update('abc').digest('hex');
  const { artifacts } = store();
  using reading = spyOn(artifacts, 'usedBytes').mockImplementationOnce(async () => {
    await artifacts.end(key(1), { sha256 });
    return 0;
  });
  await announce({ 'a.txt': 7 });
  expect(reading).toHaveBeenCalled();
  expect([await files.received(key(1)), await rows()]).toMatchObject([3, [{ state: 'stored' }]]);
});

test('a file that the hub cannot write is missing, and says so; its agent does not try again', async () => {
  const file = join(folder.path, 'a-file');
  await writeFile(file, '');
  const { announce, append, rows } = await receiver({ files: new FolderFiles(join(file, 'artifacts')) });
  expect(await announce({ 'a.txt': 3 })).toMatchObject([{ id: 1, state: 'uploading', offset: 0 }]);
  expect(await append(1, 0, bytesOf('abc')).catch(({ code }: Refusal) => code)).toBe('version_conflict');
  expect(await rows()).toMatchObject([{ state: 'missing', size: 0, reason: 'the hub cannot write it' }]);
  expect(await announce({ 'a.txt': 3 })).toMatchObject([{ id: 1, state: 'missing' }]);
});

test('a hub that cannot seal a file says so, and the file is missing', async () => {
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const { announce, end, rows } = await receiver({ files: new FolderFiles(join(file, 'artifacts')) });
  await announce({ 'a.txt': 0 });
  expect(await end(1, '0'.repeat(64))).toBe('version_conflict');
  expect(await rows()).toMatchObject([{ state: 'missing', reason: 'the hub cannot write it' }]);
});

const MIB = 1024 * 1024;
/** What a folder leaves free for the database beside it. */
const RESERVE_BYTES = 512 * MIB;

describe.skipIf(smallDiskMissing !== undefined)('a disk that is almost full', () => {
  test('takes no file that would leave too little of it, and the file is missing with that reason', async () => {
    await using disk = await smallDisk(RESERVE_BYTES + 4 * MIB);
    const { announce, append, end, files, key, rows } = await receiver({
      files: new FolderFiles(join(disk.path, 'artifacts')),
    });
    await announce({ 'fits.txt': 3, 'large.bin': 5 * MIB });
    const large = append(2, 0, bytesOf('abc')).catch(({ code }: Refusal) => code);
    expect([await large, await files.received(key(2))]).toEqual(['version_conflict', 0]);
    await append(1, 0, bytesOf('abc'));
    const sha256 = new Bun.CryptoHasher('sha256').update('abc').digest('hex');
    expect(await end(1, sha256)).toEqual({ state: 'stored' });
    expect(await rows()).toMatchObject([
      { state: 'stored' },
      { state: 'missing', reason: 'the hub has no room' },
    ]);
  });

  test('takes no more of a file when others have taken the room meanwhile', async () => {
    await using disk = await smallDisk(RESERVE_BYTES + 64 * MIB);
    const { announce, append, rows } = await receiver({
      files: new FolderFiles(join(disk.path, 'artifacts')),
    });
    await announce({ 'large.bin': 40 * MIB });
    async function* whileOthersGrow() {
      yield new Uint8Array(1 * MIB);
      await writeFile(join(disk.path, 'other'), new Uint8Array(64 * MIB));
      for (let count = 1; count < 40; count += 1) yield new Uint8Array(1 * MIB);
    }
    expect(await append(1, 0, whileOthersGrow()).catch(({ code }: Refusal) => code)).toBe('version_conflict');
    expect(await rows()).toMatchObject([{ state: 'missing', reason: 'the hub has no room' }]);
  });
});

test('a full disk is told apart', async () => {
  // Every write there fails with ENOSPC.
  const key = { executionId: 'dev', id: 'full' as unknown as number };
  const written = new FolderFiles('/').append(key, 0, bytesOf('abc'), async () => 3);
  expect(await written.catch((error: unknown) => error)).toMatchObject({ message: 'the hub has no room' });
});

test('a write that fails after its bytes were accepted is an error of the next request', async () => {
  const key = { executionId: 'dev', id: 'full' as unknown as number };
  const files = new FolderFiles('/');
  const append = (offset: number) => files.append(key, offset, bytesOf('abc'), async () => 9).catch(String);
  expect(await append(0)).toBe(3);
  expect(await files.received(key)).toBe(0);
  expect(await append(3)).toBe('Error: the hub has no room');
  expect([await append(3), await append(0)]).toEqual([undefined, 3]);
});

test('an execution has no more rows than files it may leave, whatever its agent announces', async () => {
  const { announce, rows } = await receiver();
  const { files: mostFiles, missing } = ARTIFACT_LIMITS;
  const sizes = (prefix: string) =>
    Object.fromEntries(Array.from({ length: mostFiles }, (_, index) => [`${prefix}${index}`, 0]));
  await announce(sizes('a'));
  const second = await announce(sizes('b'));
  expect([await rows()].map(({ length }) => length)).toEqual([mostFiles + missing]);
  expect(second[missing - 1]).toMatchObject({ state: 'uploading' });
  expect(second[missing]).toEqual({ file: missing, id: 0, state: 'missing', offset: 0 });
});

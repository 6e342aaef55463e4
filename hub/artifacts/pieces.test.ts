// Artifacts in an object store: decision 72, artifacts.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Refusal } from '@svc/core/refusal';
import { type ObjectStore, objectStore } from '../../test/object-store.ts';
import { readHubConfig } from '../config.ts';
import { NOW_MS, newId, newWorkspace } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { ObjectKeys } from '../platform/files/object-keys.ts';
import { S3Files } from '../platform/files/s3-files.ts';
import type { S3Settings } from '../platform/files/s3-settings.ts';
import { HandClock } from '../platform/fixtures/hand-clock.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import { ByteChecks } from './byte-checks.ts';
import { announceArtifacts, appendToArtifact, endArtifact, signPiece } from './receive-artifacts.ts';
import { sweepArtifacts } from './sweep-artifacts.ts';

const store = storeOfTests();
let bucket: ObjectStore;
beforeAll(async () => {
  bucket = await objectStore();
});
afterAll(() => bucket[Symbol.asyncDispose]());

const PIECE = 8 * 1024 * 1024;
const large = Buffer.alloc(PIECE + 5, 'abcdefg');
const sha256Of = (bytes: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const codeOf = ({ code }: Refusal) => code;

class CountingFiles extends S3Files {
  seals = 0;
  /** What happens before the next look at the pieces that were sent. */
  before: (() => Promise<unknown>) | undefined;
  override async received(...of: Parameters<S3Files['received']>): Promise<number> {
    const before = this.before;
    this.before = undefined;
    await before?.();
    return await super.received(...of);
  }
  override seal(...of: Parameters<S3Files['seal']>): Promise<string> {
    this.seals += 1;
    return super.seal(...of);
  }
}

/** A hub with the bucket, and what the agent of an execution of a new workspace can ask of it. */
async function receiver(change: Partial<S3Settings> = {}) {
  const { accounts, agents: knownAgents, hosts: knownHosts, artifacts, executions: ledger } = store();
  const { s3 } = readHubConfig({ SVC_DATA_DIR: '/nowhere', SVC_S3_PREFIX: 'svc/', ...bucket.environment });
  const problems: unknown[] = [];
  const settings = { ...(s3 as S3Settings), ...change };
  const keys = new ObjectKeys(() => [new Uint8Array(32)], settings.encryption === 'key');
  const files = new CountingFiles(settings, keys, (one) => void problems.push(one));
  const clock = new HandClock();
  const mutex = new KeyedMutex();
  const deps = {
    accounts,
    artifacts,
    checks: new ByteChecks(),
    order: undefined,
    clock,
    files,
    knownAgents,
    knownHosts,
    ledger,
    mutex,
  };
  const { workspaceId } = await newWorkspace(store());
  const execution = { id: newId(NOW_MS), workspaceId };
  const key = (id: number) => ({ executionId: execution.id, id });
  const url = async (id: number, offset: number) => (await signPiece(deps, key(id), offset)).url;
  return {
    ...{ deps, files, problems, execution, key, url },
    announce: async (sizes: Readonly<Record<string, number>>, sendsPieces = true, sendsHeaders = true) => {
      const found = Object.entries(sizes).map(([name, size]) => ({ name, size }));
      const list = { files: found, missing: [] };
      return (await announceArtifacts(deps, execution, list, { sendsPieces, sendsHeaders })).uploads;
    },
    put: async (id: number, offset: number, body: BodyInit) =>
      (await fetch(await url(id, offset), { method: 'PUT', body })).status,
    end: (id: number, sha256: string) => endArtifact(deps, key(id), { sha256 }).catch(codeOf),
    keys: async () => (await bucket.keys()).filter((name) => name.includes(execution.id)),
    rows: () => artifacts.of(execution.id),
  };
}

test('a file is sent in pieces, continued after a break, compared, and read by range', async () => {
  const { announce, put, end, files, key, keys, execution } = await receiver();
  expect(await announce({ large: large.length, empty: 0 })).toEqual([
    { file: 0, id: 1, state: 'uploading', offset: 0, piece_bytes: PIECE },
    { file: 1, id: 2, state: 'uploading', offset: 0, piece_bytes: PIECE },
  ]);
  expect(await put(1, 0, large.subarray(0, PIECE))).toBe(200);
  expect(await announce({ large: large.length, empty: 0 })).toMatchObject([{ offset: PIECE }, { offset: 0 }]);
  expect(await end(1, sha256Of(large))).toBe('version_conflict');
  expect(await keys()).toEqual([]);
  for (const at of [0, PIECE]) expect(await put(1, at, large.subarray(at, at + PIECE))).toBe(200);
  expect(await end(1, sha256Of(large))).toEqual({ state: 'stored' });
  expect(await end(2, sha256Of(''))).toEqual({ state: 'stored' });
  const kept = `svc/${execution.id}/1-kept-`;
  expect(await keys()).toEqual([`${kept}0`, `${kept}1`]);
  const read = (from: number, until: number) => new Response(files.read(key(1), { from, until })).bytes();
  expect(sha256Of(await read(0, large.length))).toBe(sha256Of(large));
  const across = await read(PIECE - 2, PIECE + 3);
  expect(Buffer.from(across).equals(large.subarray(PIECE - 2, PIECE + 3))).toBe(true);
  const reader = files.read(key(1), { from: 0, until: large.length }).getReader();
  // A reader that is slow has no more than this in memory.
  expect((await reader.read()).value?.length).toBe(1024 * 1024);
  await reader.cancel();
  const hasWhole = async (sizes: readonly [number, number][]) =>
    (await files.incomplete(execution.id, new Map(sizes))).length === 0;
  const whole = [[1, large.length] as [number, number], [2, 0] as [number, number]];
  for (const sizes of [whole, whole.slice(0, 1), whole.slice(1)]) expect(await hasWhole(sizes)).toBe(true);
  for (const other of [large.length - 1, large.length + 1]) {
    expect(await hasWhole([[1, other]])).toBe(false);
    expect(
      await hasWhole([
        [1, other],
        [2, 0],
      ]),
    ).toBe(false);
  }
  expect(await hasWhole([...whole, [3, 1]])).toBe(false);
});

test('the hub writes a whole file itself, and removes it', async () => {
  const { files, key, keys, execution } = await receiver();
  async function* chunks() {
    for (let at = 0; at < large.length; at += 3_000_000) yield large.subarray(at, at + 3_000_000);
  }
  await files.write(key(1), chunks());
  const read = await new Response(files.read(key(1), { from: 0, until: large.length })).bytes();
  expect(sha256Of(read)).toBe(sha256Of(large));
  await files.removeExecution(execution.id);
  expect(await keys()).toEqual([]);
});

test('a signed URL takes exactly its bytes, and only where a piece begins', async () => {
  const { announce, put, url, end } = await receiver();
  await announce({ a: 3 });
  expect([await put(1, 0, 'abcd'), await put(1, 0, 'ab'), await put(1, 0, 'abc')]).toEqual([403, 403, 200]);
  expect([await url(1, 1).catch(codeOf), await url(1, PIECE).catch(codeOf)]).toEqual([
    'version_conflict',
    'version_conflict',
  ]);
  expect(await url(2, 0).catch(codeOf)).toBe('version_conflict');
  expect(
    await fetch((await url(1, 0)).replace('-sent-0', '-kept-0'), { method: 'PUT', body: 'abc' }),
  ).toMatchObject({
    status: 403,
  });
  await end(1, sha256Of('abc'));
  expect(await url(1, 0).catch(codeOf)).toBe('version_conflict');
});

test('a URL that is used again changes nothing of a stored file', async () => {
  const { announce, url, end, files, key, deps, execution, keys } = await receiver();
  await announce({ a: 3 });
  const again = await url(1, 0);
  const put = async (body: string) => (await fetch(again, { method: 'PUT', body })).status;
  expect([await put('abc'), await end(1, sha256Of('abc'))]).toEqual([200, { state: 'stored' }]);
  expect([await put('xyz'), await end(1, sha256Of('xyz'))]).toEqual([200, 'version_conflict']);
  expect(await new Response(files.read(key(1), { from: 0, until: 3 })).text()).toBe('abc');
  await sweepArtifacts(deps, new AbortController().signal);
  expect([await deps.artifacts.of(execution.id), await keys()]).toEqual([[], []]);
});

test('bytes with another hash are dropped, and a repeated end waits for the same comparison', async () => {
  const { announce, put, end, files, keys, rows } = await receiver();
  await announce({ a: 3 });
  await put(1, 0, 'abd');
  const both = await Promise.all([end(1, sha256Of('abc')), end(1, sha256Of('abc'))]);
  expect([both, await keys(), files.seals]).toEqual([['version_conflict', 'version_conflict'], [], 1]);
  expect(await rows()).toMatchObject([{ state: 'uploading' }]);
});

test('a file is compared with one hash at a time', async () => {
  const { announce, put, end, files } = await receiver();
  await announce({ a: 3 });
  await put(1, 0, 'abc');
  const others: unknown[] = [];
  files.before = async () => {
    for (const text of ['x', 'y', 'z']) others.push(await end(1, sha256Of(text)));
  };
  expect(await end(1, sha256Of('abc'))).toEqual({ state: 'stored' });
  expect([others, files.seals]).toEqual([['unavailable', 'unavailable', 'unavailable'], 1]);
});

test('a comparison that comes second, at another hub, removes nothing that is stored', async () => {
  const { announce, put, end, files, key, deps } = await receiver();
  await announce({ a: 3 });
  await put(1, 0, 'abc');
  const sha256 = sha256Of('abc');
  files.before = () => end(1, sha256);
  expect(await endArtifact({ ...deps, checks: new ByteChecks() }, key(1), { sha256 })).toEqual({
    state: 'stored',
  });
  expect(await new Response(files.read(key(1), { from: 0, until: 3 })).text()).toBe('abc');
  await announce({ b: 3 });
  await put(2, 0, 'abc');
  files.before = () => endArtifact({ ...deps, checks: new ByteChecks() }, key(2), { sha256 });
  expect(await end(2, sha256Of('xyz'))).toBe('version_conflict');
  expect(await new Response(files.read(key(2), { from: 0, until: 3 })).text()).toBe('abc');
});

test('the files of an agent that cannot send pieces are missing, and say why', async () => {
  const { announce, rows, deps, key } = await receiver();
  expect(await announce({ a: 3 }, false)).toEqual([]);
  expect(await rows()).toMatchObject([
    { name: 'a', state: 'missing', reason: expect.stringContaining('its agent is of an earlier version') },
  ]);
  expect(await announce({ b: 3 }, true, false)).toMatchObject([{ state: 'uploading' }]);
  const appended = appendToArtifact(deps, key(2), 0, new Blob(['abc']).stream());
  expect(await appended.catch(codeOf)).toBe('version_conflict');
});

test('the files of an agent that cannot send the headers of an encrypted store are missing, and say why', async () => {
  const { announce, rows } = await receiver({ encryption: 'key' });
  expect(await announce({ a: 3 }, true, false)).toEqual([]);
  expect(await rows()).toMatchObject([
    { name: 'a', reason: expect.stringContaining('of an earlier version') },
  ]);
  expect(await announce({ b: 3 })).toMatchObject([{ state: 'uploading' }]);
});

test('a store that refuses is unavailable, and the log says why', async () => {
  const { announce, problems, end } = await receiver({ secretAccessKey: 'other' });
  await announce({ a: 3 });
  expect(await end(1, sha256Of('abc'))).toBe('unavailable');
  expect(problems.map(String)).toEqual([expect.stringMatching(/answered 403 .*SignatureDoesNotMatch/s)]);
});

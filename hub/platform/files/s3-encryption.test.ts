// Objects that the store encrypts with keys of the hub: decision 109, encryption in object stores. The front of the store refuses each
// request without the right key.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EncryptedObjectStore, encryptedObjectStore } from '../../../test/encrypted-object-store.ts';
import { readHubConfig } from '../../config.ts';
import { ObjectKeys } from './object-keys.ts';
import { S3Client } from './s3-client.ts';
import { S3Files } from './s3-files.ts';
import type { S3Settings } from './s3-settings.ts';

let bucket: EncryptedObjectStore;
beforeAll(async () => {
  bucket = await encryptedObjectStore();
});
afterAll(() => bucket[Symbol.asyncDispose]());

const PIECE = 8 * 1024 * 1024;
const large = Buffer.alloc(PIECE + 5, 'abcdefg');
const sha256 = new Bun.CryptoHasher('sha256').update(large).digest('hex');
const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [Key, Key, Key];
type Key = Uint8Array<ArrayBuffer>;

function settingsOf(environment: Readonly<Record<string, string>>): S3Settings {
  return readHubConfig({ SVC_DATA_DIR: '/nowhere', ...environment }).s3 as S3Settings;
}

/** A hub with these keys, on a folder of its own. */
function store(prefix: string) {
  const problems: string[] = [];
  const hub = (encrypts: boolean, ...ring: [Key, ...Key[]]) =>
    new S3Files(
      { ...settingsOf(encrypts ? bucket.environment : bucket.plain), prefix },
      new ObjectKeys(() => ring, encrypts),
      (problem) => void problems.push(String(problem)),
    );
  return {
    hub,
    problems,
    names: async () => (await bucket.keys()).filter((name) => name.startsWith(prefix)),
  };
}

const key = { executionId: crypto.randomUUID(), id: 1 };

async function send(files: S3Files, offset: number, bytes: Uint8Array<ArrayBuffer>, isKeyed = true) {
  const { url, headers } = await files.signPiece(key, { offset, bytes: bytes.length });
  return (await fetch(url, { method: 'PUT', body: bytes, ...(isKeyed ? { headers } : {}) })).status;
}

async function upload(files: S3Files): Promise<void> {
  for (const at of [0, PIECE]) await send(files, at, large.subarray(at, at + PIECE));
  await files.seal(key, large.length);
  await files.removePieces(key);
}

const read = async (files: S3Files) =>
  new Bun.CryptoHasher('sha256')
    .update(await new Response(files.read(key, { from: 0, until: large.length })).bytes())
    .digest('hex');

const messageOf = ({ message }: Error) => message;

async function* chunks() {
  yield large;
}

test('an agent sends each piece with its key, and the hub copies, reads and writes with the keys', async () => {
  const { hub, names, problems } = store('whole/');
  const files = hub(true, NEW);
  expect([await send(files, 0, large.subarray(0, PIECE)), await files.received(key, large.length)]).toEqual([
    200,
    PIECE,
  ]);
  expect(await send(files, PIECE, large.subarray(PIECE))).toBe(200);
  expect(await files.received(key, large.length)).toBe(large.length);
  expect(await files.seal(key, large.length)).toBe(sha256);
  await files.removePieces(key);
  expect(await names()).toEqual([
    expect.stringMatching(/1-kept-0\.[0-9a-f]{16}$/),
    expect.stringMatching(/1-kept-1\.[0-9a-f]{16}$/),
  ]);
  expect(await read(files)).toBe(sha256);
  expect(await files.incomplete(key.executionId, new Map([[1, large.length]]))).toEqual([]);
  await files.write({ ...key, id: 2 }, chunks());
  await files.removeExecution(key.executionId);
  expect([await names(), problems, await bucket.refused()]).toEqual([[], [], []]);
});

test('a URL takes a piece only with its key, and the store gives it back only with that', async () => {
  const { hub, problems } = store('refused/');
  const files = hub(true, NEW);
  const before = (await bucket.refused()).length;
  expect(await send(files, 0, large.subarray(0, PIECE), false)).toBe(400);
  const [one, other] = await Promise.all(
    [0, PIECE].map((offset) => files.signPiece(key, { offset, bytes: 5 })),
  );
  const swapped = await fetch(one?.url ?? '', {
    method: 'PUT',
    body: 'abcde',
    headers: other?.headers ?? {},
  });
  expect(swapped.status).toBe(403);
  expect((await bucket.refused()).slice(before)).toEqual([expect.stringContaining('without a key')]);
  await upload(files);
  expect(await read(hub(true, OTHER)).catch(messageOf)).toContain('object store');
  // The object of a key is not found without it.
  expect(problems).toEqual([expect.stringContaining('does not have')]);
});

test('files from before a change of the master key are read, and renewed within the store', async () => {
  const { hub, names, problems } = store('renewed/');
  await upload(hub(true, OLD));
  const before = await names();
  const files = hub(true, NEW, OLD);
  expect([await read(files), await files.incomplete(key.executionId, new Map([[1, large.length]]))]).toEqual([
    sha256,
    [],
  ]);
  expect(await files.renewKeys()).toEqual({ count: 2, unreadable: [] });
  expect(await files.renewKeys()).toEqual({ count: 0, unreadable: [] });
  const after = await names();
  expect([after.length, after.some((name) => before.includes(name))]).toEqual([2, false]);
  expect(await read(hub(true, NEW))).toBe(sha256);
  expect(problems).toEqual([]);
  const unreadable = (await hub(true, OTHER).renewKeys()).unreadable;
  expect(unreadable.map((name) => `renewed/${name}`).toSorted()).toEqual(after);
});

test('an upload goes on after a change of the master key', async () => {
  const { hub } = store('goes-on/');
  await send(hub(true, OLD), 0, large.subarray(0, PIECE));
  const files = hub(true, NEW, OLD);
  expect(await files.received(key, large.length)).toBe(PIECE);
  await send(files, PIECE, large.subarray(PIECE));
  expect(await files.seal(key, large.length)).toBe(sha256);
  expect(await hub(true, NEW).received(key, large.length)).toBe(0);
});

test('files from before the setting, and from before it was switched off, are read', async () => {
  const { hub } = store('switched/');
  await upload(hub(false, OLD));
  const on = hub(true, OLD);
  expect([await read(on), await on.renewKeys()]).toEqual([sha256, { count: 0, unreadable: [] }]);
  await on.removeExecution(key.executionId);
  await upload(on);
  // Its requests pass the front, too, which wants the key.
  const settings = { ...settingsOf(bucket.environment), prefix: 'switched/' };
  const off = new S3Files(settings, new ObjectKeys(() => [OLD], false), () => undefined);
  expect(await read(off)).toBe(sha256);
});

test('the log has no key, though the store repeats the headers of a request that it refuses', async () => {
  const { hub, problems, names } = store('quiet/');
  const files = hub(true, NEW);
  await upload(files);
  const [name = ''] = await names();
  const client = (environment: Readonly<Record<string, string>>) =>
    new S3Client({ ...settingsOf(environment), prefix: '' }, () => undefined);
  // An object in its place is not encrypted, so the store refuses the key.
  await client(bucket.environment).remove(name);
  await client(bucket.plain).put({ name, file: name, root: undefined }, new Uint8Array(PIECE));
  expect(await read(files).catch(messageOf)).toContain('object store');
  expect(problems.join()).toContain('a key for a plain object');
  expect(problems.join()).toContain('customer-key ***');
});

import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { keyHeaders, ObjectKeys } from './object-keys.ts';

const [OLD, NEW] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const before = new ObjectKeys(() => [OLD], true);
const after = new ObjectKeys(() => [NEW, OLD], true);
const off = new ObjectKeys(() => [NEW, OLD], false);
const KEY = 'x-amz-server-side-encryption-customer-key';
const NAME = '01a1f8d3-ea00-747b-95ab-51d6edb5a6a3/1-kept-0';

test('each object has a key of its own, the same each time', () => {
  const keyOf = (keys: ObjectKeys, name: string) => keyHeaders(keys.toWrite(name))[KEY] ?? '';
  expect(keyOf(before, NAME)).toBe(keyOf(before, NAME));
  const all = [keyOf(before, NAME), keyOf(before, `${NAME}1`), keyOf(after, NAME)];
  expect(new Set(all).size).toBe(3);
  expect(all.map((key) => Uint8Array.fromBase64(key).length)).toEqual([32, 32, 32]);
  expect(all).not.toContain(OLD.toBase64());
});

test('the name of an object has the id of the key that it was written with, which a change of keys does not lose', () => {
  const written = before.toWrite(NAME);
  expect(written.name).toMatch(/\/1-kept-0\.[0-9a-f]{16}$/);
  for (const keys of [before, after, off]) {
    expect(keys.read(written.name)).toEqual({ name: NAME, object: written });
    expect(keys.possible(NAME)).toContainEqual(written);
  }
  expect(after.toWrite(NAME).name).not.toBe(written.name);
  expect(new ObjectKeys(() => [NEW], true).read(written.name)).toEqual({ name: NAME, object: undefined });
});

test('a hub first tries the name with which it writes now, and also finds objects without a key', () => {
  const plain = { name: NAME, file: NAME, root: undefined };
  expect([off.toWrite(NAME), off.possible(NAME)[0], after.possible(NAME).at(-1)]).toEqual([
    plain,
    plain,
    plain,
  ]);
  expect(after.possible(NAME)[0]).toEqual(after.toWrite(NAME));
  expect(after.read(NAME)).toEqual({ name: NAME, object: plain });
});

test('the headers have the key and its MD5, for an object and for the source of a copy', () => {
  const object = before.toWrite(NAME);
  const { [KEY]: key = '', ...rest } = keyHeaders(object);
  const md5 = createHash('md5').update(Uint8Array.fromBase64(key)).digest('base64');
  expect(rest).toEqual({
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-customer-key-md5': md5,
  });
  expect(keyHeaders(object, 'copy-source-')).toEqual({
    'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-copy-source-server-side-encryption-customer-key': key,
    'x-amz-copy-source-server-side-encryption-customer-key-md5': md5,
  });
  expect(keyHeaders(off.toWrite(NAME))).toEqual({});
});

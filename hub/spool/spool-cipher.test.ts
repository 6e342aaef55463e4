import { expect, test } from 'bun:test';
import { CHUNK_BYTES, newSpoolKey, SpoolCipher, sealedBytes } from './spool-cipher.ts';

const whole = Buffer.alloc(CHUNK_BYTES, 'whole');
const part = Buffer.from('part');
const key = newSpoolKey();
const cipher = new SpoolCipher(key, 'one');

test('a chunk opens in its place', () => {
  expect(Buffer.from(cipher.open(cipher.seal(whole, 0), 0)).equals(whole)).toBe(true);
  expect(Buffer.from(cipher.open(cipher.seal(part, 1), 1)).equals(part)).toBe(true);
  expect(cipher.open(cipher.seal(Buffer.alloc(0), 2), 2).length).toBe(0);
});

test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])(
  'a body of %i bytes has as many as its chunks',
  (bytes) => {
    const chunks = Math.floor(bytes / CHUNK_BYTES);
    const last = cipher.seal(whole.subarray(0, bytes % CHUNK_BYTES), chunks).length;
    expect(sealedBytes(bytes)).toBe(chunks * cipher.seal(whole, 0).length + last);
  },
);

test('a chunk does not open in another place, body or key, nor changed or cut', () => {
  const sealed = cipher.seal(whole, 3);
  const changed = Buffer.from(sealed);
  changed.writeUInt8(changed.readUInt8(5) ^ 1, 5);
  const wrong = [
    () => cipher.open(sealed, 2),
    () => new SpoolCipher(key, 'other').open(sealed, 3),
    () => new SpoolCipher(newSpoolKey(), 'one').open(sealed, 3),
    () => cipher.open(changed, 3),
    () => cipher.open(sealed.subarray(0, -1), 3),
    () => cipher.open(cipher.seal(part, 3).subarray(0, 10), 3),
    // A whole chunk is never the last one.
    () => cipher.open(Buffer.concat([cipher.seal(part, 3), Buffer.alloc(CHUNK_BYTES - part.length)]), 3),
  ];
  for (const open of wrong) expect(open).toThrow();
});

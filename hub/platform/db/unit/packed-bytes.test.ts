import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { StoreDamaged } from '../damage.ts';
import { failureOf } from '../fixtures/failure-of.ts';
import { packed, unpacked } from './packed-bytes.ts';

const text = new TextEncoder().encode('data: {"line":"deployed to production"}\n\n'.repeat(40));

test('packed bytes are unpacked byte for byte', () => {
  const frames = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Bun.zstdCompressSync(bytes));
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3_000 }),
    fc.string({ maxLength: 3_000 }).map((given) => new TextEncoder().encode(given)),
    // Bytes that begin like packed ones, whole and cut.
    frames.map((frame) => new Uint8Array(frame)),
    frames.map((frame) => new Uint8Array(frame.subarray(0, 5))),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      expect(unpacked(packed(given))).toEqual(given);
    }),
  );
});

test('text takes a fraction of its room; nothing takes more than it had', () => {
  expect(packed(text).length).toBeLessThan(text.length / 5);
  const random = crypto.getRandomValues(new Uint8Array(5_000));
  random[0] = 0;
  expect(packed(random)).toBe(random);
  const short = new TextEncoder().encode('hi');
  expect(packed(short)).toBe(short);
});

test('a frame that is damaged is damage of the store', async () => {
  const frame = packed(text);
  const reading = async () => unpacked(frame.subarray(0, frame.length / 2));
  expect(await failureOf(reading())).toBeInstanceOf(StoreDamaged);
});

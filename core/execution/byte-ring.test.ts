import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteRing } from './byte-ring.ts';

test('a piece keeps its bytes until it is released, whatever else is written or released', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), length: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('give back' as const) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 200 }), (size, steps) => {
      const ring = new ByteRing(size);
      const pieces: { readonly piece: Uint8Array<ArrayBuffer>; readonly mark: number }[] = [];
      for (const [at, it] of steps.entries()) {
        if (it.kind === 'take') {
          const piece = ring.take(it.length)?.fill(at % 251);
          if (piece !== undefined) pieces.push({ piece, mark: at % 251 });
          // An empty one has room for whatever fits at all.
          else expect(pieces.length > 0 || it.length > size).toBe(true);
        } else {
          const oldest = pieces.shift();
          if (oldest !== undefined) ring.release(oldest.piece);
        }
        for (const { piece, mark } of pieces) expect(piece.every((byte) => byte === mark)).toBe(true);
        expect(pieces.reduce((sum, { piece }) => sum + piece.length, 0)).toBeLessThanOrEqual(size);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('wraps around repeatedly with two pieces in use', () => {
  const ring = new ByteRing(100);
  let before = ring.take(30);
  for (let times = 0; times < 1_000; times += 1) {
    const piece = ring.take(20 + (times % 11));
    expect(piece).toBeDefined();
    if (before !== undefined) ring.release(before);
    before = piece;
  }
});

test('recognizes its own pieces', () => {
  const ring = new ByteRing(10);
  const piece = ring.take(10);
  expect(piece !== undefined && ring.has(piece)).toBe(true);
  expect(ring.has(new Uint8Array(10))).toBe(false);
  expect(ring.take(1)).toBeUndefined();
});

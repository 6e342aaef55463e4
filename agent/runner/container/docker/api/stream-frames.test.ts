import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { StreamFrames } from './stream-frames.ts';

function frame(kind: number, bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

test('two streams are separated completely and in order, however the connection splits them', () => {
  const piece = fc.record({ kind: fc.constantFrom(1, 2), bytes: fc.uint8Array({ maxLength: 40 }) });
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 30 })),
      (sent, cuts) => {
        const wire = Uint8Array.from(Buffer.concat(sent.map(({ kind, bytes }) => frame(kind, bytes))));
        const frames = new StreamFrames();
        const got = { stdout: [] as number[], stderr: [] as number[] };
        for (let at = 0, cut = 0; at < wire.length; cut += 1) {
          const size = cuts[cut] ?? wire.length;
          for (const { from, bytes } of frames.push(wire.slice(at, at + size))) got[from].push(...bytes);
          at += size;
        }
        const of = (kind: number) =>
          sent.filter((one) => one.kind === kind).flatMap(({ bytes }) => [...bytes]);
        expect(got).toEqual({ stdout: of(1), stderr: of(2) });
      },
    ),
  );
});

test('an unknown kind of stream is refused', () => {
  const bytes = Uint8Array.from(frame(7, Uint8Array.of(1)));
  expect(() => new StreamFrames().push(bytes)).toThrow('of the kind 7');
});

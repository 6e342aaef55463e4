import { expect, test } from 'bun:test';
import { SinkQueue } from './sink-queue.ts';

const piece = (byte: number) => Uint8Array.of(byte);
const bytesOf = (pieces: readonly Uint8Array[]) => pieces.map(([byte]) => byte);

test('a synchronous sink gets its output at once', () => {
  const written: Uint8Array[] = [];
  const taken: Uint8Array[] = [];
  const queue = new SinkQueue(
    { write: (bytes) => void written.push(bytes) },
    (bytes) => void taken.push(bytes),
  );
  for (const byte of [1, 2, 3]) queue.push({ bytes: piece(byte) });
  expect(bytesOf(written)).toEqual([1, 2, 3]);
  expect(bytesOf(taken)).toEqual([1, 2, 3]);
});

test('a sink gets the next piece only after it has taken the previous one', async () => {
  const written: number[] = [];
  const taken: number[] = [];
  const gates: (() => void)[] = [];
  const slow = {
    write([byte = 0]: Uint8Array) {
      written.push(byte);
      return new Promise<void>((open) => gates.push(open));
    },
  };
  const queue = new SinkQueue(slow, ([byte = 0]) => void taken.push(byte));
  for (const byte of [1, 2, 3]) queue.push({ bytes: piece(byte) });
  for (const before of [1, 2, 3]) {
    expect(written).toEqual([1, 2, 3].slice(0, before));
    expect(taken).toEqual([1, 2, 3].slice(0, before - 1));
    gates[before - 1]?.();
    await Bun.sleep(0);
  }
  expect(taken).toEqual([1, 2, 3]);
});

test('a piece that arrives while others wait keeps its place', async () => {
  const written: number[] = [];
  const queue = new SinkQueue(
    {
      async write([byte = 0]: Uint8Array) {
        await Bun.sleep(0);
        written.push(byte);
        if (byte === 2) queue.push({ bytes: piece(4) });
      },
    },
    () => {},
  );
  for (const byte of [1, 2, 3]) queue.push({ bytes: piece(byte) });
  await queue.end();
  expect(written).toEqual([1, 2, 3, 4]);
  queue.push({ bytes: piece(5) });
  await queue.end();
  expect(written).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('gone');
    },
  ],
  ['rejects', () => Promise.reject(new Error('gone'))],
])('a sink that %s gets nothing more, credit continues, and the end has the error', async (_how, write) => {
  let writes = 0;
  const taken: number[] = [];
  const sink = {
    write() {
      writes += 1;
      return write();
    },
  };
  const queue = new SinkQueue(sink, ([byte = 0]) => void taken.push(byte));
  for (const byte of [1, 2, 3]) queue.push({ bytes: piece(byte) });
  expect(await queue.end().catch((error: Error) => error.message)).toBe('gone');
  expect({ writes, taken }).toEqual({ writes: 1, taken: [1, 2, 3] });
});

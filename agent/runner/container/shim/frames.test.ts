import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodeJob, ForgedFrame, FrameReader, type ShimFrame } from './frames.ts';

function frame(kind: string, payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([Buffer.from(kind), length, bytes]);
}

function read(bytes: Uint8Array, cuts: readonly number[] = []): ShimFrame[] {
  const reader = new FrameReader();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .flatMap((end, index) => reader.push(Uint8Array.from(bytes.subarray(places[index], end))));
}

test('reads the same frames however their bytes are split', () => {
  const output = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(
      fc.array(output, { maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 10 }),
      (outputs, cuts) => {
        const said = [
          frame('R', ''),
          ...outputs.map((bytes) => frame('O', bytes)),
          frame('X', '3'),
          frame('D', ''),
        ];
        const frames = read(Buffer.concat(said), cuts);
        expect(frames.map(({ kind }) => kind)).toEqual([
          'ready',
          ...outputs.map(() => 'output' as const),
          'exit',
          'done',
        ]);
        const passed = frames.flatMap((one) => (one.kind === 'output' ? [...one.bytes] : []));
        expect(passed).toEqual(outputs.flatMap((bytes) => [...bytes]));
      },
    ),
  );
});

test('parses every frame of a shim', () => {
  expect(read(frame('E', 'oh'))).toEqual([
    { kind: 'output', from: 'stderr', bytes: Uint8Array.from([111, 104]) },
  ]);
  expect(read(frame('X', '143'))).toEqual([{ kind: 'exit', code: 143 }]);
  expect(read(frame('F', 'exec 2'))).toEqual([{ kind: 'failed', stage: 'exec', errno: 2 }]);
});

test.each([
  ['an unknown kind', frame('Z', '')],
  ['an answer to no question', frame('J', '')],
  ['a negative exit code', frame('X', '-1')],
  ['an exit code that is too high', frame('X', '256')],
  ['an exit code in other digits', frame('X', '0x1')],
  ['an empty exit code', frame('X', '')],
  ['a failure of an unknown stage', frame('F', 'mount 2')],
  ['an error number that is no number', frame('F', 'exec x')],
  ['more output than a frame may hold', frame('O', Buffer.alloc(64 * 1024 + 1)).subarray(0, 5)],
  ['a length that no frame has', Buffer.from([88, 255, 255, 255, 255])],
])('refuses a frame with %s before it buffers the rest', (_what, bytes) => {
  expect(() => read(bytes)).toThrow(ForgedFrame);
});

test('either reads or refuses hostile bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ForgedFrame);
      }
    }),
  );
});

test('a job stores words with their length, so that no content ends a word', () => {
  const job = encodeJob({ argv: ['a b', '', 'ü\n'], env: { A: 'x=y' }, cwd: '/workspace', apart: true });
  const words: string[] = [];
  for (let at = 5; at < job.length; ) {
    const length = new DataView(job.buffer, at).getUint32(0);
    words.push(new TextDecoder().decode(job.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  expect(String.fromCharCode(job[0] ?? 0)).toBe('J');
  expect(words).toEqual(['1', '/workspace', '3', 'a b', '', 'ü\n', 'A=x=y']);
});

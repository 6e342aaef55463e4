import { expect, test } from 'bun:test';
import { type CommandEnded, readEnded, writeEnded } from './protocol.ts';

const exited = { kind: 'exited', exitCode: 3, durationMs: 1.25 } as const;
const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

test.each<[string, CommandEnded]>([
  ['an ending alone', { kind: 'ended', id: 1, ending: exited }],
  [
    'its message, with half a character',
    { kind: 'ended', id: 2, ending: { kind: 'lost', message: 'a\ud83d"\n' } },
  ],
  ['every byte there is', { kind: 'ended', id: 3, ending: exited, last: { bytes: everyByte } }],
  [
    'part of a buffer, with how its lines end',
    {
      kind: 'ended',
      id: 4,
      ending: exited,
      last: { bytes: everyByte.subarray(9, 99), endings: [[0, 2, 'crlf']] },
    },
  ],
  ['no bytes', { kind: 'ended', id: 5, ending: exited, last: { bytes: new Uint8Array() } }],
])('the end of a command arrives unchanged: %s', (_, ended) => {
  expect(readEnded(writeEnded(ended))).toEqual(ended);
});

test('received bytes have their own buffer, so that the receiver may transfer it', () => {
  const { last } = readEnded(
    writeEnded({ kind: 'ended', id: 1, ending: exited, last: { bytes: everyByte } }),
  );
  expect(last?.bytes.buffer.byteLength).toBe(256);
});

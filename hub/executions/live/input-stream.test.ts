import { expect, test } from 'bun:test';
import { decodeInputFrame } from '@svc/core/protocol/input-frame';
import { InputStream } from './input-stream.ts';

const ID = '01a1f8d3-ea00-747b-95ab-51d6edb5a6a3';
const TO = { workspaceId: 'w1', name: 'build', instance: 'i1' };

/** A stream of these chunks, and the frames that it sends. */
function streamOf(chunks: readonly Uint8Array[]) {
  const sent: Uint8Array<ArrayBuffer>[] = [];
  const left = [...chunks];
  const body = {
    getReader: () => ({
      read: () => Promise.resolve({ value: left.shift() }),
      cancel: () => Promise.resolve(),
    }),
  };
  const stream = new InputStream(ID, { body, maxBytes: 1_000, sha256: undefined }, (_to, message) => {
    if (message instanceof Uint8Array) sent.push(message);
  });
  return { stream, sent };
}

const textOf = (message: Uint8Array) => {
  const decoded = decodeInputFrame(message);
  return decoded.kind === 'frame' ? new TextDecoder().decode(decoded.frame.bytes) : decoded.message;
};

test('what the agent has takes no memory, and what it lacks is sent again on its next connection', async () => {
  const { stream, sent } = streamOf([new TextEncoder().encode('abc'), new TextEncoder().encode('def')]);
  stream.want(TO, 0, 1_000);
  await stream.settled;
  expect(sent.map(textOf)).toEqual(['abc', 'def']);
  stream.want(TO, 3, 1_000);
  expect(sent.map(({ length }) => length > 0)).toEqual([false, true]);
  stream.want({ ...TO }, 3, 1_000);
  expect(sent.slice(2).map(textOf)).toEqual(['def']);
});

test.each([
  [
    'nothing is asked for',
    3,
    [
      'abc',
      { type: 'input_cut', message: 'the input was cut off: its caller left after 3 bytes of the body' },
    ],
  ],
  ['the agent has the end', 1_000, ['abc', { type: 'input_end', bytes: 3 }]],
])('a caller that leaves while %s', async (_, upto, expected) => {
  const chunks = [new TextEncoder().encode('abc')];
  const sent: (string | object)[] = [];
  const caller = Promise.withResolvers<void>();
  const body = {
    getReader: () => ({
      read: () => Promise.resolve({ value: chunks.shift() }),
      cancel: () => Promise.resolve(),
    }),
  };
  const whenCallerLeaves = (leave: () => void) => void caller.promise.then(leave);
  const stream = new InputStream(
    ID,
    { body, maxBytes: 1_000, sha256: undefined, whenCallerLeaves },
    (_to, message) => void sent.push(message instanceof Uint8Array ? textOf(message) : message),
  );
  const isSent = Promise.withResolvers<void>();
  stream.want(TO, 0, upto);
  setImmediate(isSent.resolve);
  await isSent.promise;
  caller.resolve();
  await stream.settled;
  expect(sent).toMatchObject(expected);
});

test('the memory of a chunk is free at once, unless it may be shared', async () => {
  const own = new TextEncoder().encode('own');
  const shared = new TextEncoder().encode('a shared buffer');
  const { stream, sent } = streamOf([own, shared.subarray(2, 8)]);
  stream.want(TO, 0, 1_000);
  await stream.settled;
  expect(sent.map(textOf)).toEqual(['own', 'shared']);
  expect([own.length, shared.length]).toEqual([0, 15]);
});

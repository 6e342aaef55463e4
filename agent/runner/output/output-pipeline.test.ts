import { expect, test } from 'bun:test';
import { OutputBatch } from './output-pipeline.ts';

function collect() {
  const sent: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const send = (bytes: Uint8Array) => {
    sent.push(new TextDecoder().decode(bytes));
    if (sent.length === 2) resolve();
  };
  // Everything is pushed at the same moment, however slow the machine is.
  const batch = new OutputBatch(send, { nowMs: () => 0 });
  return { batch, sent, second: promise };
}

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

test('the first bytes go out at once', () => {
  const { batch, sent } = collect();
  batch.push(bytes('line\n'));
  expect(sent).toEqual(['line\n']);
});

test('chunks that follow at once are sent together, without a flush', async () => {
  const { batch, sent, second } = collect();
  for (const text of ['a', 'b', 'c', 'd']) batch.push(bytes(text));
  expect(sent).toEqual(['a']);
  await second;
  expect(sent).toEqual(['a', 'bcd']);
});

test('a flush sends the buffered bytes, once', async () => {
  const { batch, sent } = collect();
  for (const text of ['a', 'b', 'c']) batch.push(bytes(text));
  batch.flush();
  batch.flush();
  expect(sent).toEqual(['a', 'bc']);
});

test('64 KiB do not wait', () => {
  const { batch, sent } = collect();
  batch.push(bytes('a'));
  batch.push(bytes('b'.repeat(40_000)));
  expect(sent).toHaveLength(1);
  batch.push(bytes('c'.repeat(40_000)));
  expect(sent[1]).toBe('b'.repeat(40_000) + 'c'.repeat(40_000));
});

test.each([false, true])('joins any number of chunks of any length (%p)', (isDoneWithBytes) => {
  let together = '';
  const send = (joined: Uint8Array) => {
    together += new TextDecoder().decode(joined);
  };
  const batch = new OutputBatch(send, { isDoneWithBytes });
  const chunks = Array.from({ length: 300 }, (_, n) => `${n} `.repeat(n * (n % 7 === 0 ? 300 : 3)));
  for (const chunk of chunks) batch.push(bytes(chunk));
  batch.flush();
  expect(together).toBe(chunks.join(''));
});

test('bytes that the receiver keeps are not overwritten', () => {
  const kept: Uint8Array[] = [];
  const batch = new OutputBatch((joined) => kept.push(joined));
  batch.joins(true);
  for (const round of ['a', 'b']) {
    for (let chunks = 0; chunks < 3; chunks += 1) batch.push(bytes(round.repeat(10)));
    batch.flush();
  }
  expect(kept.map((joined) => new TextDecoder().decode(joined))).toEqual(['a'.repeat(30), 'b'.repeat(30)]);
});

test('an empty chunk has no effect: the only other one is sent unchanged', () => {
  const sent: Uint8Array[] = [];
  const batch = new OutputBatch((chunk) => sent.push(chunk), { isDoneWithBytes: true });
  const only = bytes('line\n');
  batch.joins(true);
  for (const chunk of [bytes(''), only, bytes('')]) batch.push(chunk);
  batch.flush();
  expect(sent).toHaveLength(1);
  expect(sent[0]).toBe(only);
});

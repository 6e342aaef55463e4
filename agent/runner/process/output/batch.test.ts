import { expect, test } from 'bun:test';
import { Batch } from './batch.ts';

function collect() {
  const sent: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const batch = new Batch((bytes) => {
    sent.push(new TextDecoder().decode(bytes));
    if (sent.length === 2) resolve();
  });
  return { batch, sent, second: promise };
}

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

test('the first bytes go out at once', () => {
  const { batch, sent } = collect();
  batch.push(bytes('line\n'));
  expect(sent).toEqual(['line\n']);
});

test('what follows at once goes out together, by itself', async () => {
  const { batch, sent, second } = collect();
  for (const text of ['a', 'b', 'c', 'd']) batch.push(bytes(text));
  expect(sent).toEqual(['a']);
  await second;
  expect(sent).toEqual(['a', 'bcd']);
});

test('a flush sends what is there, once', async () => {
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

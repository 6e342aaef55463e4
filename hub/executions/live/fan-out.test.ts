import { expect, test } from 'bun:test';
import { HandClock } from '../../platform/fixtures/hand-clock.ts';
import { FanOut, type LiveReader } from './fan-out.ts';

const chunk = (bytes = 1000) => ({
  executionId: 'one',
  seq: 1,
  sse: new Uint8Array(bytes).fill(7),
  endings: undefined,
});

async function read(reader: LiveReader) {
  const next = await reader.next();
  if (next.kind !== 'output') throw new Error(`output expected, and not ${next.kind}`);
  return next.chunks;
}

test('lent output is whole until the last reader releases it, and then its memory is free', async () => {
  const fanOut = new FanOut(new HandClock(), () => undefined);
  const readers = [fanOut.join(), fanOut.join()];
  const { sse } = chunk();
  fanOut.lend({ ...chunk(), sse });
  const [[first], [second]] = await Promise.all([
    read(readers[0] as LiveReader),
    read(readers[1] as LiveReader),
  ]);
  first?.letGo?.();
  expect(second?.sse).toEqual(chunk().sse);
  second?.letGo?.();
  expect([second?.sse.length, sse.buffer.detached]).toEqual([0, true]);
});

test('memory that is lent without a reader is free at once', () => {
  const { sse } = chunk();
  new FanOut(new HandClock(), () => undefined).lend({ ...chunk(), sse });
  expect(sse.buffer.detached).toBe(true);
});

test('memory that was not lent is never reused, because another owner has it', async () => {
  const fanOut = new FanOut(new HandClock(), () => undefined);
  const reader = fanOut.join();
  fanOut.push(chunk());
  const [only] = await read(reader);
  expect([only?.letGo, only?.sse]).toEqual([undefined, chunk().sse]);
});

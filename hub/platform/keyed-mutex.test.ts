import { expect, test } from 'bun:test';
import { KeyedMutex } from './keyed-mutex.ts';

test('work on one thing is done in the order in which it came, on others meanwhile', async () => {
  const turns = new KeyedMutex();
  const done: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = turns.take('a', async () => {
    await released;
    done.push('first');
  });
  const second = turns.take('a', async () => done.push('second'));
  await turns.take('b', async () => done.push('other'));
  release();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});

test('work that fails rejects for its caller, and the next work runs', async () => {
  const turns = new KeyedMutex();
  const failed = turns.take('a', () => Promise.reject(new Error('no')));
  const next = turns.take('a', async () => 'done');
  expect([await failed.catch((error: Error) => error.message), await next]).toEqual(['no', 'done']);
});

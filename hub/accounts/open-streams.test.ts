import { expect, test } from 'bun:test';
import { refuse } from '@svc/core/refusal';
import { OpenStreams } from './open-streams.ts';

function streams() {
  const bugs: unknown[] = [];
  const ended: string[] = [];
  const open = new OpenStreams((error) => bugs.push(error));
  return { bugs, ended, open, end: (name: string) => () => void ended.push(name) };
}

test('a stream ends when its credential is good no more, once, and the others go on', async () => {
  const { open, ended, end } = streams();
  let isAllowed = true;
  open.open(async () => isAllowed, end('one'));
  open.open(async () => true, end('other'));
  await open.review();
  expect(ended).toEqual([]);
  isAllowed = false;
  await Promise.all([open.review(), open.review()]);
  await open.review();
  expect(ended).toEqual(['one']);
});

test('a stream that is over is not asked about', async () => {
  const { open, ended, end } = streams();
  const over = open.open(() => Promise.reject(new Error('asked')), end('one'));
  over();
  await open.review();
  expect(ended).toEqual([]);
});

test('who cannot be asked about is not cut off; what is a bug is told', async () => {
  const { open, bugs, ended, end } = streams();
  open.open(() => Promise.reject(refuse('unavailable', 'the store is away')), end('one'));
  open.open(() => Promise.reject(new Error('a bug')), end('other'));
  await open.review();
  expect([ended, bugs.map(String)]).toEqual([[], ['Error: a bug']]);
});

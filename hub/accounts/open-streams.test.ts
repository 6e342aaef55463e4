import { expect, test } from 'bun:test';
import { refuse } from '@svc/core/refusal';
import { OpenStreams } from './open-streams.ts';

function streams() {
  const bugs: unknown[] = [];
  const ended: string[] = [];
  const open = new OpenStreams((error) => bugs.push(error));
  return { bugs, ended, open, end: (name: string) => () => void ended.push(name) };
}

test('a stream ends once when its credential becomes invalid, and other streams continue', async () => {
  const { open, ended, end } = streams();
  let isAllowed = true;
  open.open(async () => isAllowed, end('one'));
  open.open(async () => true, end('other'));
  await open.recheck();
  expect(ended).toEqual([]);
  isAllowed = false;
  await Promise.all([open.recheck(), open.recheck()]);
  await open.recheck();
  expect(ended).toEqual(['one']);
});

test('a closed stream is not checked', async () => {
  const { open, ended, end } = streams();
  const over = open.open(() => Promise.reject(new Error('asked')), end('one'));
  over();
  await open.recheck();
  expect(ended).toEqual([]);
});

test('a failing check does not end the stream; a bug is reported', async () => {
  const { open, bugs, ended, end } = streams();
  open.open(() => Promise.reject(refuse('unavailable', 'the store is away')), end('one'));
  open.open(() => Promise.reject(new Error('a bug')), end('other'));
  await open.recheck();
  expect([ended, bugs.map(String)]).toEqual([[], ['Error: a bug']]);
});

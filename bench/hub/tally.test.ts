import { expect, test } from 'bun:test';
import { Tally } from './tally.ts';

test('it is reached when all reporters together reach the figure, and not before', async () => {
  const tally = new Tally(60_000);
  const reached: string[] = [];
  const waiting = tally.reaches(3).then(() => reached.push('three'));
  tally.set(0, 2);
  await Promise.resolve();
  expect(reached).toEqual([]);
  tally.set(1, 1);
  await waiting;
  await tally.reaches(3);
});

test('none at all is a figure, too', async () => {
  const tally = new Tally(60_000);
  tally.set(0, 4);
  const none = tally.reaches(0);
  tally.set(0, 0);
  await none;
});

test('a figure that is not reached in time is an error with what there was', async () => {
  const tally = new Tally(1);
  tally.set(0, 7);
  const failure = await tally.reaches(8).then(String, String);
  expect(failure).toContain('7 instead of 8');
});

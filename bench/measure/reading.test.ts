import { expect, test } from 'bun:test';
import { reading } from './reading.ts';

test('a figure by itself is judged on its median, and one without a goal is not judged', () => {
  const read = { what: 'memory', figures: [9, 7, 8] };
  expect(reading({ ...read, goal: { atMost: 8 } })).toMatchObject({
    met: true,
    figure: { median: 8, max: 9 },
  });
  expect(reading({ ...read, goal: { atLeast: 9 } }).met).toBe(false);
  expect(reading(read).met).toBeUndefined();
});

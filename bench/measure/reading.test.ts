import { expect, test } from 'bun:test';
import { reading, readingsOf } from './reading.ts';

test('a single figure meets its goal by its median; without a goal there is no result', () => {
  const read = { what: 'memory', figures: [9, 7, 8] };
  expect(reading({ ...read, goal: { atMost: 8 } })).toMatchObject({
    met: true,
    figure: { median: 8, max: 9 },
  });
  expect(reading({ ...read, goal: { atLeast: 9 } }).met).toBe(false);
  expect(reading(read).met).toBeUndefined();
});

test('each contestant with a goal is checked against its own figures', () => {
  const turn = (round: number, contestant: string, figure: number) => ({
    ...{ round, contestant, figure },
    raw: [figure],
  });
  const turns = [turn(1, 'one', 3), turn(1, 'two', 8), turn(2, 'one', 5), turn(2, 'two', 6)];
  const [one, two] = readingsOf(['one', 'two'], turns, { two: { atLeast: 7 } });
  expect(one).toEqual({ what: 'one', figure: { median: 4, min: 3, max: 5 } });
  expect(two).toMatchObject({ what: 'two', figure: { median: 7, min: 6, max: 8 }, met: true });
});

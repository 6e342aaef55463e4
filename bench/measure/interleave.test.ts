import { expect, test } from 'bun:test';
import { figuresOf, interleave, interleaveMany } from './interleave.ts';

/** Contestants that count up together and write down who was asked. */
function counting(names: readonly string[]) {
  const asked: string[] = [];
  const contestants = names.map((name) => ({
    name,
    measure: async () => [asked.push(name)],
  }));
  return { asked, contestants };
}

test('contestants take turns, after a round that does not count', async () => {
  const { asked, contestants } = counting(['a', 'b']);
  const turns = await interleave(contestants, 2);
  expect(asked).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(turns.map(({ round, contestant, figure }) => [round, contestant, figure])).toEqual([
    [1, 'a', 3],
    [1, 'b', 4],
    [2, 'a', 5],
    [2, 'b', 6],
  ]);
  expect(figuresOf('b', turns)).toEqual([4, 6]);
});

test('the figure of a turn with many calls is their median, and the calls are kept', async () => {
  const [turn] = await interleave([{ name: 'a', measure: async () => [1, 50, 2] }], 1);
  expect(turn).toEqual({ round: 1, contestant: 'a', figure: 2, raw: [1, 50, 2] });
});

test('a contestant with several figures has a row of each for every turn', async () => {
  const measure = async () => ({ speed: 7, memory: 9 });
  const turnsOf = await interleaveMany([{ name: 'a', measure }], 2);
  expect(figuresOf('a', turnsOf('speed'))).toEqual([7, 7]);
  expect(turnsOf('memory')[1]).toEqual({ round: 2, contestant: 'a', figure: 9, raw: [9] });
});

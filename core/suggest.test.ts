import { expect, test } from 'bun:test';
import { suggest } from './suggest.ts';

const KEYS = ['name', 'command', 'args', 'method', 'timeout', 'approval_timeout_mins', 'env', 'cwd'];

const table: [word: string, meant: string | undefined, why: string][] = [
  ['comand', 'command', 'a letter is missing'],
  ['commmand', 'command', 'a letter is too many'],
  ['commend', 'command', 'a letter is wrong'],
  ['comamnd', 'command', 'two neighbours are swapped'],
  ['timeuot', 'timeout', 'a swap is one slip'],
  ['nmae', 'name', 'a swap is one slip in a short word too'],
  ['Timeout', 'timeout', 'capitals are no slip'],
  ['approval_timout_min', 'approval_timeout_mins', 'long words may have more slips'],
  ['nam', 'name', 'one slip in a short word'],
  ['nm', undefined, 'two slips in a short word'],
  ['tmaeut', undefined, 'three slips in six letters'],
  ['x', undefined, 'nothing is close'],
  ['e', undefined, 'a word that would change wholly is not close'],
  ['', undefined, 'nothing is close to nothing'],
];
for (const [word, meant, why] of table) {
  test(`"${word}" suggests ${meant ?? 'nothing'}: ${why}`, () => {
    expect(suggest(word, KEYS)).toBe(meant);
  });
}

test('the closest candidate wins, and of two the first', () => {
  expect(suggest('parse', ['purse', 'parses', 'parse'])).toBe('parse');
  expect(suggest('cat', ['bat', 'car'])).toBe('bat');
});

test('a word as long as a file costs nothing', () => {
  expect(suggest('a'.repeat(1_000_000), KEYS)).toBeUndefined();
});

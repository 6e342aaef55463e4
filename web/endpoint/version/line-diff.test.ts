import { expect, test } from 'bun:test';
import { lineDiff } from './line-diff.ts';

const drawn = (before: string | undefined, after: string | undefined) =>
  lineDiff(before, after).map(({ kind, text }) => ({ same: ' ', before: '-', after: '+' })[kind] + text);

test.each<[string | undefined, string | undefined, string[]]>([
  ['a\nb\nc', 'a\nB\nc', [' a', '-b', '+B', ' c']],
  ['a', 'a\nb', [' a', '+b']],
  ['a\n', 'a', [' a', '-']],
  [undefined, 'a\nb', ['+a', '+b']],
  ['a', undefined, ['-a']],
  ['', 'x', ['-', '+x']],
])('%j to %j is %j', (before, after, lines) => {
  expect(drawn(before, after)).toEqual(lines);
});

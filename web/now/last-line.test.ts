import { expect, test } from 'bun:test';
import { lastOf } from './last-line.ts';

test.each([
  ['one\ntwo\n', 'two'],
  ['\u001b[32mdone\u001b[0m\n\n', 'done'],
  ['10 %\r20 %', '20 %'],
  ['\u001b]0;title\u0007built', 'built'],
  ['\n  \n', undefined],
])('of %p it is %p', (text, line) => {
  expect(lastOf(text)).toBe(line);
});

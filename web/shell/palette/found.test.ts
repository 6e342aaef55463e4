import { expect, test } from 'bun:test';
import { isFound, stepTo } from './found.ts';

test.each([
  ['Audit log', '', true],
  ['Audit log', 'au lo', true],
  ['Audit log', 'log', true],
  ['Audit log', 'dit', false],
  ['Audit log', 'log x', false],
  ['API keys', 'KEYS', true],
])('%p is found by %p: %p', (text, typed, found) => {
  expect(isFound(text, typed)).toBe(found);
});

test('the arrow keys go round', () => {
  expect([stepTo(0, -1, 3), stepTo(2, 1, 3), stepTo(0, 1, 3), stepTo(0, 1, 0)]).toEqual([2, 0, 1, 0]);
});

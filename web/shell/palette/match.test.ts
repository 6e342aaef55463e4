import { expect, test } from 'bun:test';
import { matchScore } from './match.ts';

test.each([
  ['hello', 'hello', 100],
  ['hello', 'HEL', 80],
  ['a-very-long-endpoint', 'long', 60],
  ['ada@example.com', 'example', 60],
  ['redeploy', 'deploy', 40],
  ['hello', 'helo', 20],
  ['Audit log', 'au lo', 60],
  ['Audit log', 'log x', 0],
  ['hello', 'slow', 0],
  ['hello', '', 0],
  ['an-endpoint-with-slow-letters-oddly-written', 'sow', 20],
  ['storage-of-windows', 'sow', 0],
])('%p fits the typed %p with a score of %p', (text, typed, score) => {
  expect(matchScore(text, typed)).toBe(score);
});

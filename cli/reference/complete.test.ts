import { expect, test } from 'bun:test';
import { completionLines } from './complete.ts';

test('a word with a control character is not offered, and a meaning loses its own', () => {
  const lines = completionLines([
    { word: 'env=eu', text: 'Europe,\n\u001b]0;title\u0007 all of it' },
    { word: 'env=a\nenv=b', text: '' },
    { word: 'env=\u001b[2J', text: '' },
    { word: 'env=\u009b2J', text: '' },
    { word: 'env=a b;ü', text: '' },
  ]);
  expect(lines).toBe('env=eu\tEurope, ]0;title  all of it\nenv=a b;ü\t\n');
});

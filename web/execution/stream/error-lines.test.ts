import { expect, test } from 'bun:test';
import { hasErrorWord } from './error-lines.ts';

test.each([
  'error: no such file',
  'ERROR  the disk is full',
  'TypeError: x is not a function',
  'java.lang.NullPointerException',
  'Traceback (most recent call last):',
  'npm ERR! code 1',
  '--- FAIL: TestPlace (0.00s)',
  '3 failed, 10 passed',
  'bash: foo: command not found',
])('%j is a line with an error', (line) => {
  expect(hasErrorWord(line)).toBe(true);
});

test.each([
  '13 passed, 0 failed',
  'build finished without errors',
  'no error was found',
  'terrorised by failover',
  'panicking is not needed',
  '',
])('%j has no error word', (line) => {
  expect(hasErrorWord(line)).toBe(false);
});

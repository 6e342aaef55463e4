import { expect, test } from 'bun:test';
import { argumentVariable, collidingNames, isArgumentName } from './argument-name.ts';

test.each(['a', '_', 'dry-run', 'Branch_2', `a${'b'.repeat(63)}`])('%s is an argument name', (name) => {
  expect(isArgumentName(name)).toBe(true);
});

test.each(['', '1a', '-a', 'a b', 'a.b', 'ä', 'a\n', 'a'.repeat(65)])('%j is no argument name', (name) => {
  expect(isArgumentName(name)).toBe(false);
});

test('the variable of an argument is upper case and has _ for -', () => {
  expect(argumentVariable('dry-run')).toBe('SVC_ARG_DRY_RUN');
  expect(argumentVariable('branch')).toBe('SVC_ARG_BRANCH');
});

test('names collide when they are equal or share a variable', () => {
  expect(collidingNames(['a-b', 'c', 'A_B', 'c'])).toEqual([
    { first: 'a-b', second: 'A_B', variable: 'SVC_ARG_A_B' },
    { first: 'c', second: 'c', variable: 'SVC_ARG_C' },
  ]);
  expect(collidingNames(['a', 'b'])).toEqual([]);
});

import { describe, expect, test } from 'bun:test';
import { LIMITS } from '../plan/limits.ts';
import { mayUseSecret, secretNameProblem, secretValueProblem } from './secret.ts';

describe('the name of a secret', () => {
  test.each(['A', '_', 'db_password', 'AWS_SECRET_ACCESS_KEY', 'x'.repeat(64)])('may be %p', (name) => {
    expect(secretNameProblem(name)).toBeUndefined();
  });

  test.each([
    ...['', '1A', 'a-b', 'a.b', 'a b', 'ä', 'x'.repeat(65), 'a\n', '__proto__ '],
    ...['PATH', 'LD_PRELOAD', 'SVC_TOKEN', 'SVC_', 'PYTHONPATH', 'GIT_SSH_COMMAND', 'IFS', 'ENV'],
  ])('may not be %p', (name) => {
    expect(secretNameProblem(name)).toContain('cannot be the name');
  });
});

describe('the value of a secret', () => {
  test.each(['x', ' ', '\n', '"\\', 'é'.repeat(LIMITS.secretBytes / 2)])('may be a text %#', (value) => {
    expect(secretValueProblem(value)).toBeUndefined();
  });

  test.each(['', 'a\0b', 'é'.repeat(LIMITS.secretBytes / 2 + 1)])(
    'may not be empty, hold a NUL or be too long, and is not repeated %#',
    (value) => {
      const problem = secretValueProblem(value);
      expect(problem).toMatch(/^value: .* expected$/);
      if (value !== '') expect(problem).not.toContain(value.slice(0, 3));
    },
  );
});

test('a secret is for the agents that it names, or for all', () => {
  expect(mayUseSecret(undefined, 'any')).toBe(true);
  expect([mayUseSecret(['a', 'b'], 'b'), mayUseSecret(['a'], 'A'), mayUseSecret([], 'a')]).toEqual([
    true,
    false,
    false,
  ]);
});

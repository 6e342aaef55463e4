import { expect, test } from 'bun:test';
import { ROUTES } from '../api/routes.ts';
import { RESERVED_USERNAMES, usernameProblem } from './username.ts';

test('no user can have the name of a first path segment of the service', () => {
  const segments = Object.values(ROUTES).map(({ path }) => path.split('/')[1] ?? '');
  const missing = segments.filter(
    (segment) => !segment.startsWith('{') && usernameProblem(segment) === undefined,
  );
  expect(missing).toEqual([]);
});

test('nor like one that it may have', () => {
  for (const name of ['approve', 'join', 'mcp', 'static', 'www', 'svc', 'pipelines', 'team']) {
    expect(RESERVED_USERNAMES).toContain(name);
    expect(usernameProblem(name)).toBe('reserved');
  }
});

test.each(['ab', 'a1', 'a-b', 'ada-lovelace', 'x'.repeat(39), '42'])('%p is a username', (text) => {
  expect(usernameProblem(text)).toBeUndefined();
});

test.each(['', 'a', '-a', 'a-', 'A1', 'a_b', 'a.b', 'a b', 'ä1', 'x'.repeat(40), 'a\n'])(
  '%p is refused',
  (text) => {
    expect(usernameProblem(text)).toBe('malformed');
  },
);

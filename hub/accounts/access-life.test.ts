import { expect, test } from 'bun:test';
import { isOver, isToBeNoted, SESSION_MS } from './access-life.ts';
import type { AccessToken } from './account-ports.ts';

const DAY_MS = 86_400_000;
const session: AccessToken = {
  id: 'a',
  kind: 'session',
  userId: 'u',
  workspaceId: undefined,
  hash: 'h',
  last4: 'last',
  createdAtMs: 0,
  expiresAtMs: SESSION_MS,
  epoch: 0,
  name: undefined,
  usedAtMs: 0,
  agentSinceMs: undefined,
  passkeyId: undefined,
};

test('a session expires after three days without use, and after fourteen days in any case', () => {
  expect([isOver(session, 3 * DAY_MS - 1), isOver(session, 3 * DAY_MS)]).toEqual([false, true]);
  const used = { ...session, usedAtMs: 13 * DAY_MS };
  expect([isOver(used, 14 * DAY_MS - 1), isOver(used, 14 * DAY_MS)]).toEqual([false, true]);
});

test('an access token may be idle', () => {
  expect(isOver({ ...session, kind: 'personal' }, 14 * DAY_MS - 1)).toBe(false);
});

test('the time of last use is stored at most once a minute', () => {
  expect([59_999, 60_000].map((nowMs) => isToBeNoted(session, nowMs))).toEqual([false, true]);
  expect(isToBeNoted({ ...session, usedAtMs: undefined }, 0)).toBe(true);
});

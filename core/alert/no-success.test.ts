import { expect, test } from 'bun:test';
import { isTooEarly, type SuccessRule, successEvent, waitsSinceMs } from './no-success.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HEADER = { id: 'e1', workspaceId: 'w1', atMs: NOW_MS };
const rule = (more: Partial<SuccessRule> = {}): SuccessRule => ({
  id: 'r1',
  workspaceId: 'w1',
  name: 'stale',
  slug: 'backup',
  noSuccessMins: 60,
  createdAtMs: NOW_MS - 90 * MINUTE_MS,
  alertedAtMs: undefined,
  ...more,
});
const found = (succeededAtMs: number | undefined, isPipeline = false) => ({ succeededAtMs, isPipeline });

test('a new rule waits its whole time, to the millisecond', () => {
  const createdAtMs = NOW_MS - 60 * MINUTE_MS;
  expect(isTooEarly(rule({ createdAtMs }), NOW_MS)).toBe(false);
  expect(isTooEarly(rule({ createdAtMs: createdAtMs + 1 }), NOW_MS)).toBe(true);
});

test('the span before an alert is the time of the rule; after it, all since the alert', () => {
  expect(waitsSinceMs(rule(), NOW_MS)).toBe(NOW_MS - 60 * MINUTE_MS);
  expect(waitsSinceMs(rule({ alertedAtMs: NOW_MS - 5 }), NOW_MS)).toBe(NOW_MS - 5);
});

test('an alert is due without a success, and none with one', () => {
  expect(successEvent(rule(), found(NOW_MS - 1), HEADER)).toBeUndefined();
  expect(successEvent(rule(), found(undefined), HEADER)).toMatchObject({
    name: 'no_success_since',
    slug: 'backup',
    data: {
      rule_id: 'r1',
      endpoint: 'backup',
      pipeline: null,
      no_success_mins: 60,
      since: '2026-11-20T11:00:00.000Z',
    },
  });
});

test('after an alert only a success counts, once more', () => {
  const alerted = rule({ alertedAtMs: NOW_MS - 30 * MINUTE_MS });
  expect(successEvent(alerted, found(undefined), HEADER)).toBeUndefined();
  expect(successEvent(alerted, found(NOW_MS - 1, true), HEADER)).toMatchObject({
    name: 'success_resumed',
    data: { endpoint: null, pipeline: 'backup', since: '2026-11-20T10:30:00.000Z' },
  });
});

import { describe, expect, test } from 'bun:test';
import {
  duration,
  exactTime,
  exactTimes,
  localTime,
  relativeTime,
  setSpan,
  updateIntervalMs,
} from './time-words.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

describe('a time', () => {
  test.each([
    [0, 'now'],
    [4_999, 'now'],
    [5_000, '5 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 day ago'],
    [3 * 86_400_000, '3 days ago'],
    [30 * 86_400_000, '2026-10-21'],
    [-80_000, 'in 1 min'],
    [-59_700, 'in 1 min'],
    [-2 * 86_400_000, 'in 2 days'],
    [1_000 - 7 * 86_400_000, 'in 7 days'],
  ])('that is %p ms past is shown as %p', (agoMs, words) => {
    expect(relativeTime(NOW - agoMs, NOW)).toBe(words);
  });

  test('has its exact form in UTC', () => {
    expect(exactTime(NOW)).toBe('2026-11-20 12:00:00 UTC');
    // Tests run in UTC; the browser test of times has another zone.
    expect(localTime(NOW)).toBe('2026-11-20 12:00:00 UTC');
    expect(exactTimes(NOW)).toBe('2026-11-20 12:00:00 UTC');
  });

  test('is updated as often as its words change', () => {
    expect([1_000, 600_000, 86_400_000].map((ms) => updateIntervalMs(NOW - ms, NOW))).toEqual([
      1_000, 30_000, 600_000,
    ]);
  });
});

test.each([
  [0, '0 ms'],
  [840, '840 ms'],
  [3_249, '3.2 s'],
  [9_999, '9.9 s'],
  [59_999, '59 s'],
  [125_000, '2 min 05 s'],
  [4_800_000, '1 h 20 min'],
  [90_000_000, '1 d 1 h'],
])('a duration of %p ms is shown as %p', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test.each([
  [1_000, '1 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [5_405_000, '1 h 30 min 5 s'],
])('a timeout of %p ms is shown as %p, which is not less than it', (ms, words) => {
  expect(setSpan(ms)).toBe(words);
});

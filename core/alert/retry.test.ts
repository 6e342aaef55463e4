import { expect, test } from 'bun:test';
import { nextTryMs } from './retry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** When each try is made, from the first on, of one that never arrives. */
function triesAt(random: number): number[] {
  const at = [0];
  for (;;) {
    const next = nextTryMs(at.length, { createdAtMs: 0, nowMs: at.at(-1) ?? 0, random });
    if (next === undefined) return at;
    at.push(next);
  }
}

test('eight tries, the last one 24 hours after the first', () => {
  expect(triesAt(0)).toHaveLength(8);
  expect(triesAt(0).at(-1)).toBe(DAY_MS);
});

test('each wait is longer than the one before, whatever chance says', () => {
  for (const random of [0, 0.5, 1]) {
    const at = triesAt(random);
    const waits = at.slice(1).map((ms, index) => ms - (at[index] ?? 0));
    expect(at).toHaveLength(8);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  }
  expect(triesAt(1).at(-1)).toBe(DAY_MS * 0.8);
});

test('a delivery that waited a day behind others is tried once', () => {
  expect(nextTryMs(1, { createdAtMs: 0, nowMs: DAY_MS + 15 * 60_000, random: 0.5 })).toBeUndefined();
});

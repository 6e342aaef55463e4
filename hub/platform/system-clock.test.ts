import { describe, expect, test } from 'bun:test';
import { randomWith } from './system-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

/** The time in an id, in milliseconds since 1970. */
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** This many ids, with the times of a clock. */
function idsAt(times: readonly number[]): string[] {
  let at = -1;
  const { uuid } = randomWith({
    nowMs() {
      at += 1;
      return times[at] ?? NOW_MS;
    },
  });
  return times.map(() => uuid());
}

describe('ids', () => {
  test('of one millisecond are in order, however many there are', () => {
    const ids = idsAt(Array(10_000).fill(NOW_MS));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(10_000);
    expect(timeOf(ids.at(-1) ?? '') - NOW_MS).toBeLessThan(10);
  });

  test('of one millisecond are in order where other ids of another time come between them', () => {
    const { uuid } = randomWith({ nowMs: () => NOW_MS });
    const ids = Array.from({ length: 100 }, () => {
      Bun.randomUUIDv7('hex', NOW_MS - DAY_MS);
      return uuid();
    });
    expect(ids).toEqual(ids.toSorted());
  });

  test('follow a clock that was set back, unless it was by a moment', () => {
    expect(idsAt([NOW_MS, NOW_MS - DAY_MS, NOW_MS]).map(timeOf)).toEqual([NOW_MS, NOW_MS - DAY_MS, NOW_MS]);
    const ids = idsAt([NOW_MS, NOW_MS - 50]);
    expect(ids).toEqual(ids.toSorted());
  });
});

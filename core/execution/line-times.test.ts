import { expect, test } from 'bun:test';
import { LineTimes, MAX_LINE_TIMES, timeOfEvent } from './line-times.ts';

/** Line times on a clock that starts at 5,000. */
function onClock() {
  const clock = { ms: 5_000 };
  const times = new LineTimes(() => clock.ms);
  return { clock, times };
}

test('a mark has the number of the first event of its piece, and the time since the start', () => {
  const { clock, times } = onClock();
  times.add(2);
  clock.ms += 1_234.4;
  times.add(3);
  clock.ms += 60_000;
  times.add(1);
  expect(times.marks).toEqual([
    [1, 0],
    [3, 1_234],
    [6, 61_234],
  ]);
});

test('events within 100 ms of a mark have none of their own, and are counted', () => {
  const { clock, times } = onClock();
  for (let event = 1; event <= 25; event += 1) {
    times.add(1);
    clock.ms += 10;
  }
  expect(times.marks).toEqual([
    [1, 0],
    [11, 100],
    [21, 200],
  ]);
});

test('a steady output keeps at most 1,000 marks, twice as far apart each time', () => {
  const { clock, times } = onClock();
  for (let event = 1; event <= 5 * MAX_LINE_TIMES; event += 1) {
    times.add(1);
    clock.ms += 100;
    expect(times.marks.length).toBeLessThanOrEqual(MAX_LINE_TIMES);
  }
  const distances = times.marks.slice(1).map(([, ms], place) => ms - (times.marks[place]?.[1] ?? 0));
  expect(times.marks.length).toBeGreaterThan(MAX_LINE_TIMES / 2);
  expect(new Set(distances)).toEqual(new Set([800]));
  expect(times.marks.every(([event, ms]) => ms === (event - 1) * 100)).toBe(true);
});

test('rare lines keep their times beside a busy stretch', () => {
  const { clock, times } = onClock();
  const rare: [number, number][] = [];
  let events = 0;
  for (let hour = 0; hour < 24; hour += 1) {
    clock.ms = 5_000 + hour * 3_600_000;
    rare.push([events + 1, hour * 3_600_000]);
    for (let event = 0; event < 100; event += 1) {
      times.add(1);
      events += 1;
      clock.ms += 100;
    }
  }
  expect(times.marks.length).toBeLessThanOrEqual(MAX_LINE_TIMES);
  for (const mark of rare) expect(times.marks).toContainEqual(mark);
});

test('a clock that goes back gives no negative time', () => {
  const { clock, times } = onClock();
  clock.ms = 0;
  times.add(1);
  expect(times.marks).toEqual([[1, 0]]);
});

test('an event has the time of the last mark at or before it', () => {
  const marks = [
    [2, 10],
    [5, 700],
    [9, 1_000],
  ] as const;
  expect([1, 2, 4, 5, 8, 9, 1_000].map((event) => timeOfEvent(marks, event))).toEqual([
    undefined,
    10,
    10,
    700,
    700,
    1_000,
    1_000,
  ]);
  expect(timeOfEvent([], 1)).toBeUndefined();
});

import { expect, test } from 'bun:test';
import { MovableClock } from '../../test/movable-clock.ts';
import { tickEachMinute } from './tick.ts';

const MINUTE_MS = 60_000;

/** Work that ends when the test lets it, and when it began. */
function heldWork(clock: MovableClock) {
  const begun: string[] = [];
  let end: (soonerMs?: number) => void = () => {};
  const work = () => {
    begun.push(new Date(clock.nowMs()).toISOString().slice(11, 19));
    return new Promise<number | undefined>((resolve) => {
      end = resolve;
    });
  };
  const ended = async (soonerMs?: number) => {
    end(soonerMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, work, ended };
}

test('work begins at once, and again as each minute begins, wherever in one it ended', async () => {
  const clock = new MovableClock();
  const { begun, work, ended } = heldWork(clock);
  clock.move(12_345);
  const stop = tickEachMinute(clock, work, () => {});
  await ended();
  clock.move(MINUTE_MS);
  clock.move(10_000);
  await ended();
  clock.move(MINUTE_MS);
  await ended();
  expect(begun).toEqual(['12:00:12', '12:01:00', '12:02:00']);
  await stop();
});

test('a minute that began during the work is checked as soon as the work has ended', async () => {
  const clock = new MovableClock();
  const { begun, work, ended } = heldWork(clock);
  const stop = tickEachMinute(clock, work, () => {});
  clock.move(MINUTE_MS + 5_000);
  await ended();
  clock.move(1);
  expect(begun).toEqual(['12:00:00', '12:01:05']);
  await ended();
  await stop();
});

test('a clock that is set back while work is under way puts nothing off', async () => {
  const clock = new MovableClock();
  const { begun, work, ended } = heldWork(clock);
  const stop = tickEachMinute(clock, work, () => {});
  clock.move(-60 * MINUTE_MS);
  await ended();
  clock.move(MINUTE_MS);
  await ended();
  expect(begun).toEqual(['12:00:00', '11:01:00']);
  await stop();
});

test('it begins sooner when the work asks for it, and after a failure, which is reported', async () => {
  const clock = new MovableClock();
  const { begun, work, ended } = heldWork(clock);
  const problems: unknown[] = [];
  let fails = true;
  const stop = tickEachMinute(
    clock,
    () => (fails ? Promise.reject(new Error('no store')) : work()),
    (problem) => problems.push(problem),
  );
  await new Promise((resolve) => setImmediate(resolve));
  fails = false;
  clock.move(1_000);
  await ended(clock.nowMs() + 9_000);
  clock.move(9_000);
  expect([begun, problems.length]).toEqual([['12:00:01', '12:00:10'], 1]);
  await ended();
  await stop();
});

test('nothing begins after it was stopped, and what is under way is waited for', async () => {
  const clock = new MovableClock();
  const { begun, work, ended } = heldWork(clock);
  const stop = tickEachMinute(clock, work, () => {});
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  await ended();
  await stopped;
  clock.move(10 * MINUTE_MS);
  expect(begun).toEqual(['12:00:00']);
});

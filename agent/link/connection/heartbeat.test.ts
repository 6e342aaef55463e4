import { expect, test } from 'bun:test';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { Heartbeat } from './heartbeat.ts';

function beating() {
  const timers = new ManualTimers();
  const pings: number[] = [];
  const deaths: number[] = [];
  const heartbeat = new Heartbeat(timers, {
    ping: () => pings.push(timers.nowMs()),
    died: () => deaths.push(timers.nowMs()),
  });
  return { timers, pings, deaths, heartbeat };
}

test('pings every ten seconds; two misses, and the link is dead', () => {
  const { timers, pings, deaths } = beating();
  timers.advance(29_999);
  expect({ pings, deaths }).toEqual({ pings: [10_000, 20_000], deaths: [] });
  timers.advance(100_000);
  expect({ pings, deaths }).toEqual({ pings: [10_000, 20_000], deaths: [30_000] });
});

test('any received frame keeps the link alive', () => {
  const { timers, deaths, heartbeat } = beating();
  for (let n = 0; n < 100; n += 1) {
    timers.advance(20_000);
    heartbeat.onFrame();
  }
  expect(deaths).toEqual([]);
  timers.advance(29_999);
  expect(deaths).toEqual([]);
  timers.advance(1);
  expect(deaths).toHaveLength(1);
});

test('stop() leaves no timer', () => {
  const { timers, pings, heartbeat } = beating();
  timers.advance(10_000);
  heartbeat.stop();
  timers.advance(100_000);
  expect({ pings, waiting: timers.waitingMs }).toEqual({ pings: [10_000], waiting: [] });
});

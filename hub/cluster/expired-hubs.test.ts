import { expect, test } from 'bun:test';
import { ExpiredHubs } from './expired-hubs.ts';

const SECOND_MS = 1_000;

/** A hub that reads the heartbeats of another hub, on clocks that the test moves. */
function twoHubs() {
  let nowMs = 0;
  const heartbeats = new Map<string, number>();
  const expired = new ExpiredHubs({
    hubId: 'own',
    clock: { nowMs: () => nowMs, at: () => () => undefined },
    hubs: {
      heartbeat: async () => undefined,
      heartbeats: async () => new Map(heartbeats),
      without: async () => [],
      forget: async () => undefined,
    },
  });
  return {
    expired: expired,
    heartbeat: () => void heartbeats.set('other', nowMs),
    /** Polls every five seconds; returns whether the last poll found the other hub expired. */
    async pass(seconds: number) {
      let gone: string[] = [];
      for (let passed = 0; passed < seconds; passed += 5) {
        nowMs += 5 * SECOND_MS;
        gone = await expired.among(['own', 'other']);
      }
      return gone;
    },
    async jump(seconds: number) {
      nowMs += seconds * SECOND_MS;
      return await expired.among(['own', 'other']);
    },
  };
}

test('a lease expires when the heartbeat was unchanged for fifteen seconds, or is gone', async () => {
  const { heartbeat, pass } = twoHubs();
  expect(await pass(5)).toEqual(['other']);
  heartbeat();
  expect(await pass(15)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
  heartbeat();
  expect(await pass(5)).toEqual([]);
});

test('a hub that could not store its own heartbeat restarts all leases', async () => {
  const { expired, heartbeat, pass } = twoHubs();
  heartbeat();
  expect(await pass(15)).toEqual([]);
  expired.restartLeases();
  expect(await pass(15)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
});

test('a clock that jumps expires no lease', async () => {
  const { heartbeat, pass, jump } = twoHubs();
  heartbeat();
  expect(await pass(10)).toEqual([]);
  expect(await jump(3_600)).toEqual([]);
  expect(await pass(10)).toEqual([]);
  expect(await jump(-7_200)).toEqual([]);
  expect(await pass(10)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
});

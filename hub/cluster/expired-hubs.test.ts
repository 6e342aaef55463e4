import { expect, test } from 'bun:test';
import { ExpiredHubs } from './expired-hubs.ts';

const SECOND_MS = 1_000;

/** A hub that looks at the beats of another; both have a clock that the test moves. */
function twoHubs() {
  let nowMs = 0;
  const heartbeats = new Map<string, number>();
  const expired = new ExpiredHubs({
    hubId: 'own',
    clock: { nowMs: () => nowMs, at: () => () => undefined },
    hubs: {
      heartbeat: async () => undefined,
      heartbeats: async () => new Map(heartbeats),
      forget: async () => undefined,
    },
  });
  return {
    expired: expired,
    beat: () => void heartbeats.set('other', nowMs),
    /** Looks every five seconds; answers whether the other one is taken for dead at the last look. */
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

test('a hub has lapsed when its beat was seen unchanged for fifteen seconds, or is gone', async () => {
  const { beat, pass } = twoHubs();
  expect(await pass(5)).toEqual(['other']);
  beat();
  expect(await pass(15)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
  beat();
  expect(await pass(5)).toEqual([]);
});

test('whoever could not beat itself gives others all their time again', async () => {
  const { expired, beat, pass } = twoHubs();
  beat();
  expect(await pass(15)).toEqual([]);
  expired.restartLeases();
  expect(await pass(15)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
});

test('a clock that jumps makes nobody dead', async () => {
  const { beat, pass, jump } = twoHubs();
  beat();
  expect(await pass(10)).toEqual([]);
  expect(await jump(3_600)).toEqual([]);
  expect(await pass(10)).toEqual([]);
  expect(await jump(-7_200)).toEqual([]);
  expect(await pass(10)).toEqual([]);
  expect(await pass(5)).toEqual(['other']);
});

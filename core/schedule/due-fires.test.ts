import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CronFields, parseCron } from './cron.ts';
import { dueFires } from './due-fires.ts';
import { countFires, fireTimes } from './fire-times.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOON = Date.UTC(2026, 10, 20, 12);

function cron(text: string): CronFields {
  const parsed = parseCron(text);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  return parsed.fields;
}

const EACH_MINUTE = cron('* * * * *');

describe('a schedule that is due', () => {
  test('fires at its time, and up to just before a minute later', () => {
    for (const lateMs of [0, 1, 59_999])
      expect(dueFires(cron('0 12 * * *'), NOON, NOON + lateMs)).toEqual({
        lost: undefined,
        fireMs: NOON,
        nextMs: NOON + DAY_MS,
      });
  });

  test('has missed its fire a minute later', () => {
    expect(dueFires(cron('0 12 * * *'), NOON, NOON + MINUTE_MS)).toEqual({
      lost: { count: 1, firstMs: NOON, lastMs: NOON },
      fireMs: undefined,
      nextMs: NOON + DAY_MS,
    });
  });

  test('has missed all but the last of several, and fires once', () => {
    const { lost, fireMs, nextMs } = dueFires(EACH_MINUTE, NOON, NOON + 3 * MINUTE_MS + 5);
    expect(lost).toEqual({ count: 3, firstMs: NOON, lastMs: NOON + 2 * MINUTE_MS });
    expect([fireMs, nextMs]).toEqual([NOON + 3 * MINUTE_MS, NOON + 4 * MINUTE_MS]);
  });

  test('counts all the fires of a year that were lost', () => {
    expect(dueFires(EACH_MINUTE, NOON, NOON + 365 * DAY_MS).lost).toEqual({
      count: 365 * 1_440,
      firstMs: NOON,
      lastMs: NOON + 365 * DAY_MS - MINUTE_MS,
    });
  });

  test('that never fires again has no next fire', () => {
    const never = { ...cron('0 0 30 * *'), months: [2] };
    expect(dueFires(never, NOON, NOON + HOUR_MS)).toMatchObject({ fireMs: undefined, nextMs: undefined });
  });
});

test('every fire is accounted for once: missed, counted or started, and none before the next one', () => {
  const expressions = ['* * * * *', '*/7 * * * *', '0 */5 * * *', '30 3 * * 1-5', '*/59 0,23 1,31 * *'];
  fc.assert(
    fc.property(
      fc.constantFrom(...expressions),
      fc.integer({ min: 0, max: 40 * 1_440 }),
      fc.integer({ min: 0, max: 59_999 }),
      (text, outageMinutes, ms) => {
        const fields = cron(text);
        const [dueMs = 0] = fireTimes(fields, NOON, NOON + 40 * DAY_MS, 1);
        const nowMs = dueMs + outageMinutes * MINUTE_MS + ms;
        const { lost, fireMs, nextMs } = dueFires(fields, dueMs, nowMs);
        const all = fireTimes(fields, dueMs - 1, nowMs);
        expect((lost?.count ?? 0) + (fireMs === undefined ? 0 : 1)).toBe(all.length);
        const lostTimes = fireMs === undefined ? all : all.slice(0, -1);
        expect([lost?.firstMs, lost?.lastMs]).toEqual([lostTimes[0], lostTimes.at(-1)]);
        expect(fireMs).toBe(fireMs === undefined ? undefined : all.at(-1));
        expect(nextMs).toBe(fireTimes(fields, nowMs, nowMs + 60 * DAY_MS, 1)[0]);
      },
    ),
    { numRuns: 200 },
  );
});

test('counting fires finds as many as there are, and the last of them', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('* * * * *', '5,50 */6 * * *', '0 0 31 * 1', '59 23 * 2 *'),
      fc.integer({ min: 0, max: 100 * 1_440 }),
      fc.integer({ min: 0, max: 30 * 1_440 }),
      (text, startMinute, minutes) => {
        const fromMs = NOON + startMinute * MINUTE_MS;
        const times = fireTimes(cron(text), fromMs, fromMs + minutes * MINUTE_MS);
        const counted = countFires(cron(text), fromMs, fromMs + minutes * MINUTE_MS);
        expect(counted).toEqual({ count: times.length, lastMs: times.at(-1) });
      },
    ),
  );
});

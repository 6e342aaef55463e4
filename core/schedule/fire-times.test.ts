import { describe, expect, test } from 'bun:test';
import { Cron } from 'croner';
import fc from 'fast-check';
import { type CronFields, parseCron } from './cron.ts';
import { fireTimes, nextFires } from './fire-times.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

function cron(text: string): CronFields {
  const parsed = parseCron(text);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  return parsed.fields;
}

const at = (iso: string) => Date.parse(`${iso}:00Z`);
const isoOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 16);
const next = (text: string, after: string, count: number) =>
  nextFires(cron(text), at(after), count).map(isoOf);

describe('fire times', () => {
  test('lie after the lower end and up to the upper end, which belongs to them', () => {
    const everyMinute = cron('* * * * *');
    const from = at('2026-03-01T10:00');
    expect(fireTimes(everyMinute, from, from + 2 * MINUTE_MS).map(isoOf)).toEqual([
      '2026-03-01T10:01',
      '2026-03-01T10:02',
    ]);
    expect(fireTimes(everyMinute, from - 1, from)).toEqual([from]);
    expect(fireTimes(everyMinute, from, from)).toEqual([]);
    expect(fireTimes(everyMinute, from, from + MINUTE_MS - 1)).toEqual([]);
    expect(fireTimes(everyMinute, from, from - DAY_MS)).toEqual([]);
  });

  test('a limit keeps the earliest', () => {
    const from = at('2026-03-01T10:00');
    expect(fireTimes(cron('* * * * *'), from, from + DAY_MS, 2)).toEqual([
      from + MINUTE_MS,
      from + 2 * MINUTE_MS,
    ]);
    expect(fireTimes(cron('* * * * *'), from, from + DAY_MS, 0)).toEqual([]);
  });

  test('either day field is enough when both restrict', () => {
    expect(next('0 0 13 * 5', '2026-02-10T00:00', 4)).toEqual([
      '2026-02-13T00:00',
      '2026-02-20T00:00',
      '2026-02-27T00:00',
      '2026-03-06T00:00',
    ]);
  });

  test('both day fields are needed when one starts with a star', () => {
    expect(next('0 0 */2 * 1', '2026-06-01T12:00', 3)).toEqual([
      '2026-06-15T00:00',
      '2026-06-29T00:00',
      '2026-07-13T00:00',
    ]);
  });

  test('the 29th of February waits for a leap year, which 2100 is not', () => {
    expect(next('30 4 29 2 *', '2095-01-01T00:00', 2)).toEqual(['2096-02-29T04:30', '2104-02-29T04:30']);
  });

  test('the rarest date, a 29th of February on a Sunday across 2100, is found', () => {
    expect(next('0 0 29 2 */7', '2088-03-01T00:00', 1)).toEqual(['2128-02-29T00:00']);
  });

  test('the last minute of a year is followed by the first of the next', () => {
    expect(next('* * * * *', '2026-12-31T23:58', 2)).toEqual(['2026-12-31T23:59', '2027-01-01T00:00']);
  });

  test('fields that no calendar satisfies end the search', () => {
    expect(nextFires({ ...cron('0 0 * * *'), months: [] }, 0, 1)).toEqual([]);
    expect(nextFires({ ...cron('0 0 30 * *'), months: [2] }, 0, 1)).toEqual([]);
  });
});

const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

function field([min, max]: readonly [number, number]): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: max - min + 1 });
  const span = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const item = fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    step.map((n) => `*/${n}`),
    value.map(String),
    span,
    fc.tuple(span, step).map(([s, n]) => `${s}/${n}`),
  );
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
}

const expression = fc
  .tuple(...ranges.map((range) => field(range)))
  .map((fields) => fields.join(' '))
  .filter((text) => parseCron(text).kind === 'cron');

/** Minutes from 2020 to 2110, more often near the end of a February or of a year. */
const start = fc.oneof(
  fc.integer({ min: at('2020-01-01T00:00') / MINUTE_MS, max: at('2110-01-01T00:00') / MINUTE_MS }),
  fc
    .tuple(fc.integer({ min: 2020, max: 2110 }), fc.constantFrom('02-26', '12-30'), fc.nat(5 * 1_440))
    .map(([year, day, minutes]) => at(`${year}-${day}T00:00`) / MINUTE_MS + minutes),
);

/** A second reading of the grammar: asks of one value whether one field, as text, matches it. */
function matches(text: string, value: number, [min, max]: readonly [number, number]): boolean {
  return text.split(',').some((item) => {
    const [span = '', step = '1'] = item.split('/');
    const [from = 0, to = from] = span === '*' ? [min, max] : span.split('-').map(Number);
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });
}

function firesAt(text: string, minute: number): boolean {
  const fields = text.split(' ');
  const date = new Date(minute * MINUTE_MS);
  const parts = [
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth() + 1,
    date.getUTCDay(),
  ];
  const [inMinute, inHour, inDay, inMonth, inWeek] = ranges.map((range, i) =>
    matches(fields[i] ?? '', parts[i] ?? -1, range),
  );
  const starred = fields[2]?.startsWith('*') || fields[4]?.startsWith('*');
  const day = starred ? inDay && inWeek : inDay || inWeek;
  return Boolean(inMinute && inHour && inMonth && day);
}

describe('against other implementations', () => {
  test('a walk over every minute of two days finds the same fire times', () => {
    fc.assert(
      fc.property(expression, start, (text, minute) => {
        const length = 2 * 1_440;
        const walked = Array.from({ length }, (_, n) => minute + 1 + n).filter((m) => firesAt(text, m));
        const found = fireTimes(cron(text), minute * MINUTE_MS, (minute + length) * MINUTE_MS);
        expect(found).toEqual(walked.map((m) => m * MINUTE_MS));
      }),
      { numRuns: 80 },
    );
  });

  // NOTE: croner takes only a bare * for no restriction, so day fields such as */2 are compared by the walk above alone.
  test('croner names the same next five fire times', () => {
    const comparable = expression.filter((text) => {
      const [, , day = '', , week = ''] = text.split(' ');
      return [day, week].every((f) => f === '*' || !f.startsWith('*'));
    });
    fc.assert(
      fc.property(comparable, start, (text, minute) => {
        const theirs = new Cron(text, { timezone: 'UTC', mode: '5-part' });
        const expected = theirs.nextRuns(5, new Date(minute * MINUTE_MS)).map((date) => date.getTime());
        expect(nextFires(cron(text), minute * MINUTE_MS, 5)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

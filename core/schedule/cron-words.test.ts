import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseCron } from './cron.ts';
import { cronWords } from './cron-words.ts';
import { nextFires } from './fire-times.ts';

function fieldsOf(text: string) {
  const parsed = parseCron(text);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  return parsed.fields;
}

test.each([
  ['* * * * *', 'every minute, UTC'],
  ['*/5 * * * *', 'every 5 minutes, UTC'],
  ['0,20,40 * * * *', 'every 20 minutes, UTC'],
  ['*/7 * * * *', 'at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, UTC'],
  ['*/60 * * * *', 'at minute 0 of every hour, UTC'],
  ['1-3,30 * * * *', 'at minutes 1 to 3 and 30 of every hour, UTC'],
  ['0 3 * * *', 'at 03:00 every day, UTC'],
  ['0 */24 * * *', 'at 00:00 every day, UTC'],
  ['30 3,15 * * 1', 'at 03:30 and 15:30 on Mondays, UTC'],
  ['5 */2 * * *', 'at minute 5 of every 2nd hour from 00:00 every day, UTC'],
  ['* 5 * * *', 'every minute of the hour 5 every day, UTC'],
  ['*/15 9-17 * * 1-5', 'every 15 minutes of the hours 9 to 17 on Mondays to Fridays, UTC'],
  ['*/30 * * * 0,6', 'every 30 minutes on Sundays and Saturdays, UTC'],
  ['0 0 1 * *', 'at 00:00 on day 1 of the month, UTC'],
  ['0 0 29 2 *', 'at 00:00 on day 29 of the month in February, UTC'],
  ['0 0 * 3-5,12 *', 'at 00:00 every day in March to May and December, UTC'],
  // Either day field is enough where both restrict, both are needed where one begins with a star.
  ['0 0 13 * 5', 'at 00:00 on day 13 of the month and on Fridays, UTC'],
  ['0 0 */15 * 1', 'at 00:00 on Mondays that are also days 1, 16 and 31 of the month, UTC'],
  ['0 0 1-31 * 1', 'at 00:00 every day, UTC'],
  ['0 0 *,13 * 1', 'at 00:00 on Mondays, UTC'],
])('"%s" is described as "%s"', (expression, words) => {
  expect(cronWords(fieldsOf(expression))).toBe(words);
});

const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 1, max: max - min + 1 }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 })
      .map((values) => values.join(',')),
  );
const expression = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '))
  .filter((text) => parseCron(text).kind === 'cron');

test('expressions with the same words fire at the same times', () => {
  const said = new Map<string, { readonly text: string; readonly fires: string }>();
  const from = Date.UTC(2026, 0, 31, 23, 59);
  fc.assert(
    fc.property(expression, (text) => {
      const fires = nextFires(fieldsOf(text), from, 40).join(' ');
      const words = cronWords(fieldsOf(text));
      const before = said.get(words);
      said.set(words, { text, fires });
      if (before !== undefined) expect([before.text, before.fires]).toEqual([before.text, fires]);
    }),
    { numRuns: 3_000 },
  );
});

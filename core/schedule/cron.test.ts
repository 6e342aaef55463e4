import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseCron } from './cron.ts';

function fieldsOf(text: string) {
  const parsed = parseCron(text);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  return parsed.fields;
}

describe('accepted expressions', () => {
  const minutes: [string, number[]][] = [
    ['7', [7]],
    ['05', [5]],
    ['0-3', [0, 1, 2, 3]],
    ['59-59', [59]],
    ['*/20', [0, 20, 40]],
    ['*/60', [0]],
    ['10-30/10', [10, 20, 30]],
    ['10-19/10', [10]],
    ['30,5,5,4-6', [4, 5, 6, 30]],
    ['*/30,1', [0, 1, 30]],
  ];
  for (const [text, values] of minutes) {
    test(`minute "${text}" means ${values.join(' ')}`, () => {
      expect(fieldsOf(`${text} * * * *`).minutes).toEqual(values);
    });
  }

  test('a star means every value from the first to the last of its field', () => {
    const { minutes, hours, daysOfMonth, months, daysOfWeek } = fieldsOf('* * * * *');
    const spans = [minutes, hours, daysOfMonth, months, daysOfWeek].map((v) => [v[0], v.at(-1), v.length]);
    expect(spans).toEqual([
      [0, 59, 60],
      [0, 23, 24],
      [1, 31, 31],
      [1, 12, 12],
      [0, 6, 7],
    ]);
  });

  test('spaces and tabs around and between the fields do not matter', () => {
    expect(fieldsOf('  1\t2   3 4 5 ')).toEqual(fieldsOf('1 2 3 4 5'));
  });

  test('a day field that starts with a star is no restriction, so the other one decides', () => {
    expect(fieldsOf('0 0 1 * 1').dayRule).toBe('either');
    for (const text of ['0 0 1 * *', '0 0 * * 1', '0 0 */2 * 1', '0 0 1 * */2', '0 0 *,3 * 1']) {
      expect(fieldsOf(text).dayRule).toBe('both');
    }
    expect(fieldsOf('0 0 3,* * 1').dayRule).toBe('either');
  });
});

describe('refused expressions, and the place', () => {
  const bad: [text: string, marked: string, message: string][] = [
    ['75 * * * *', '75', 'minute "75": 0-59 expected'],
    ['60 * * * *', '60', 'minute "60": 0-59 expected'],
    ['0 24 * * *', '24', 'hour "24": 0-23 expected'],
    ['0 0 0 * *', '0', 'day of month "0": 1-31 expected'],
    ['0 0 32 * *', '32', 'day of month "32": 1-31 expected'],
    ['0 0 1 13 *', '13', 'month "13": 1-12 expected'],
    ['0 0 1 0 *', '0', 'month "0": 1-12 expected'],
    ['0 0 * * 7', '7', 'day of week "7": 0-6 (0 = Sunday) expected'],
    ['0 0 * * 5-7', '5-7', 'day of week "5-7": 0-6 (0 = Sunday) expected'],
    ['1,2,99,3 * * * *', '99', 'minute "99": 0-59 expected'],
    ['0 22-2 * * *', '22-2', 'hour "22-2": a range rises; write 22-23,0-2'],
    ['*/0 * * * *', '*/0', 'minute "*/0": a step of 1-60 expected'],
    ['*/90 * * * *', '*/90', 'minute "*/90": a step of 1-60 expected'],
    ['0 0 * * */8', '*/8', 'day of week "*/8": a step of 1-7 expected'],
    ['5/10 * * * *', '5/10', 'minute "5/10": a step follows "*" or a range; write 5-59/10'],
    [
      '0 0 1 JAN *',
      'JAN',
      'month "JAN": names are not accepted; 1-12 expected, "*", a range such as 1-12, or a step such as */2',
    ],
    [
      '0 0 L * *',
      'L',
      'day of month "L": names are not accepted; 1-31 expected, "*", a range such as 1-31, or a step such as */2',
    ],
    [
      '0 0 * * 5#3',
      '5#3',
      'day of week "5#3": 0-6 (0 = Sunday) expected, "*", a range such as 0-6, or a step such as */2',
    ],
    ['? * * * *', '?', 'minute "?": 0-59 expected, "*", a range such as 0-59, or a step such as */2'],
    ['-5 * * * *', '-5', 'minute "-5": 0-59 expected, "*", a range such as 0-59, or a step such as */2'],
    [
      '1-2-3 * * * *',
      '1-2-3',
      'minute "1-2-3": 0-59 expected, "*", a range such as 0-59, or a step such as */2',
    ],
    ['1, * * * *', '', 'minute: an empty place in a list; 0-59 expected'],
    [
      '* * * *',
      '* * * *',
      '"* * * *" has 4 fields: five expected (minute, hour, day of month, month, day of week)',
    ],
    [
      '0 0 0 1 1 *',
      '0 0 0 1 1 *',
      '"0 0 0 1 1 *" has 6 fields: five expected (minute, hour, day of month, month, day of week)',
    ],
    ['', '', '"" has 0 fields: five expected (minute, hour, day of month, month, day of week)'],
    [' @Daily', '@Daily', '"@Daily": macros are not accepted; write 0 0 * * *'],
    ['@reboot', '@reboot', '"@reboot": macros are not accepted'],
    ['0 0 31 2 *', '0 0 31 2 *', '"0 0 31 2 *" never fires: there is no day of month 31 in month 2'],
    [
      '0 0 31 4,6 */2',
      '0 0 31 4,6 */2',
      '"0 0 31 4,6 */2" never fires: there is no day of month 31 in month 4, 6',
    ],
  ];
  for (const [text, marked, message] of bad) {
    test(`"${text}" is refused: ${message}`, () => {
      const parsed = parseCron(text);
      if (parsed.kind !== 'problem') throw new Error('accepted');
      expect(parsed.message).toBe(message);
      expect(text.slice(parsed.offset, parsed.offset + parsed.length)).toBe(marked);
    });
  }

  test('the offset of a problem in a list is that of its item', () => {
    expect(parseCron('0 1,2,24 * * *')).toMatchObject({ offset: 6, length: 2 });
    expect(parseCron('1,,2 * * * *')).toMatchObject({ offset: 2, length: 0 });
  });

  test('the 29th of February is a date, and an impossible date beside a weekday still fires', () => {
    expect(parseCron('0 0 29 2 *').kind).toBe('cron');
    expect(parseCron('0 0 30 2 1').kind).toBe('cron');
  });
});

test('any text gives an answer, and the place of a problem is inside the text', () => {
  const cronish = fc
    .array(fc.constantFrom(...'0123456789*,-/ \tLW#?@aé'.split('')), { maxLength: 30 })
    .map((c) => c.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), cronish), (text) => {
      const parsed = parseCron(text);
      if (parsed.kind === 'cron') return true;
      return (
        parsed.offset >= 0 && parsed.offset + parsed.length <= text.length && parsed.message.length < 200
      );
    }),
    { numRuns: 2_000 },
  );
});

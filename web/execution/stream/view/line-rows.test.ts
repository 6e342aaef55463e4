import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LineLog } from '../line-log.ts';
import { LineRows } from './line-rows.ts';

function logOf(lengths: readonly number[], limit = 1_000): LineLog {
  const log = new LineLog({ lines: limit, chars: 1_000_000 });
  for (const length of lengths) log.append('x'.repeat(length));
  return log;
}

describe('the rows of lines', () => {
  test('are one each without wrapping', () => {
    const rows = new LineRows(logOf([0, 500, 3]), undefined);
    expect([rows.total, rows.above(2), rows.lineAt(1), rows.lineAt(99), rows.lineAt(-5)]).toEqual([
      3, 2, 1, 2, 0,
    ]);
    expect(rows.correct(1, 7)).toBe(false);
  });

  test('are as many as the text fills, without its colours and what is not drawn', () => {
    const log = logOf([0, 10, 11, 100_000]);
    log.append(`\u001b[31m${'x'.repeat(10)}\u001b[0m`);
    const rows = new LineRows(log, 10);
    expect([0, 1, 2, 3, 4, 5].map((line) => rows.above(line))).toEqual([0, 1, 2, 4, 404, 405]);
  });

  test('are what the screen says, and whatever stands below moves', () => {
    const rows = new LineRows(logOf([5, 5, 5]), 10);
    expect([rows.correct(1, 3), rows.correct(1, 3)]).toEqual([true, false]);
    expect([rows.above(1), rows.above(2), rows.total]).toEqual([1, 4, 5]);
    expect([0, 1, 2, 3, 4].map((row) => rows.lineAt(row))).toEqual([0, 1, 1, 1, 2]);
  });

  test('continue where the oldest lines were dropped', () => {
    const log = logOf(
      Array.from({ length: 100 }, () => 25),
      100,
    );
    const rows = new LineRows(log, 10);
    rows.correct(50, 9);
    log.append('x');
    rows.sync();
    expect(log.first).toBe(26);
    expect(rows.total).toBe(74 * 3 + 6 + 1);
    expect(rows.lineAt(0)).toBe(26);
    expect(rows.above(51)).toBe(24 * 3 + 9);
  });

  test('are one for each line that is not loaded, and as many as it fills afterwards', () => {
    for (const columns of [undefined, 10]) {
      const log = new LineLog();
      log.skip({ events: 100, lines: 100 });
      log.append('x'.repeat(25));
      const rows = new LineRows(log, columns);
      const ofLast = columns === undefined ? 1 : 3;
      expect([rows.above(100), rows.total, rows.lineAt(50)]).toEqual([100, 100 + ofLast, 50]);
      rows.correct(100, 5);
      // The first loaded line in sight stays where it is, and without one the first line in sight.
      expect([rows.anchorLine(98, 101), rows.anchorLine(100, 101), rows.anchorLine(90, 99)]).toEqual([
        100, 100, 90,
      ]);
      const ofCorrected = columns === undefined ? 1 : 5;
      const earlier = { text: 'x'.repeat(11), isError: false, continuesEvent: false };
      log.prepend([earlier, earlier], false);
      expect([rows.sync(), rows.sync()]).toEqual([true, false]);
      const ofEarlier = columns === undefined ? 1 : 2;
      expect([rows.above(98), rows.above(99), rows.above(100)]).toEqual([
        98,
        98 + ofEarlier,
        98 + 2 * ofEarlier,
      ]);
      expect(rows.total).toBe(98 + 2 * ofEarlier + ofCorrected);
    }
  });

  test('add up, in whatever order lines come and are corrected', () => {
    const lengths = fc.array(fc.nat(60), { minLength: 1, maxLength: 60 });
    const corrections = fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 9 })), { maxLength: 20 });
    fc.assert(
      fc.property(lengths, lengths, corrections, (first, later, corrected) => {
        const log = logOf(first);
        const rows = new LineRows(log, 10);
        const expected = first.map((length) => Math.max(Math.ceil(length / 10), 1));
        for (const [line, count] of corrected) {
          if (line < first.length) expected[line] = count;
          rows.correct(line, count);
        }
        for (const length of later) {
          log.append('x'.repeat(length));
          expected.push(Math.max(Math.ceil(length / 10), 1));
        }
        rows.sync();
        let above = 0;
        for (const [line, count] of expected.entries()) {
          expect(rows.above(line)).toBe(above);
          expect([rows.lineAt(above), rows.lineAt(above + count - 1)]).toEqual([line, line]);
          above += count;
        }
        expect(rows.total).toBe(above);
      }),
    );
  });
});

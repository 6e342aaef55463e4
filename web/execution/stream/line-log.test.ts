import { describe, expect, test } from 'bun:test';
import { LineLog } from './line-log.ts';

describe('a log of lines', () => {
  test('has each line with the style that it begins in', () => {
    const log = new LineLog();
    for (const line of ['a', '\u001b[31mb', 'c\u001b[0m', 'd']) log.append(line);
    expect(log.end).toBe(4);
    expect([0, 1, 2, 3].map((index) => log.at(index)?.style.ink)).toEqual([
      undefined,
      undefined,
      1,
      undefined,
    ]);
    expect(log.at(4)).toBeUndefined();
  });

  test('marks the lines of standard error, also after older ones were dropped', () => {
    const log = new LineLog({ lines: 4, chars: 1_000 });
    for (const line of ['1', '2', '3', '4', '5']) log.append(line, line === '4');
    expect([2, 3, 4].map((index) => log.at(index)?.isError)).toEqual([false, true, false]);
    expect(log.first).toBeGreaterThan(0);
  });

  test('drops the oldest lines when there are too many, and keeps counting', () => {
    const log = new LineLog({ lines: 100, chars: 1_000_000 });
    for (let line = 0; line < 101; line += 1) log.append(`line ${line}`);
    expect(log.first).toBe(26);
    expect(log.end).toBe(101);
    expect(log.at(25)).toBeUndefined();
    expect(log.at(26)?.text).toBe('line 26');
    expect(log.at(100)?.text).toBe('line 100');
  });

  test('drops lines when they are too long, but never the last one', () => {
    const log = new LineLog({ lines: 100, chars: 50 });
    for (let line = 0; line < 6; line += 1) log.append('x'.repeat(10));
    expect([log.first, log.end]).toEqual([3, 6]);
    log.append('y'.repeat(500));
    expect([log.first, log.end]).toEqual([6, 7]);
  });

  test('counts the lines that a marker stands for, so that each line keeps the number it was printed with', () => {
    const log = new LineLog();
    for (const line of [
      '1',
      '2',
      '[svc: 900 bytes of the stream cut here (95 lines), over the limit]',
      '98',
      '99',
    ])
      log.append(line);
    expect([0, 1, 2, 3, 4].map((index) => log.numberOf(index))).toEqual([1, 2, 3, 98, 99]);
    expect([2, 3, 50, 97, 98, 99].map((number) => log.indexOf(number))).toEqual([1, 2, 2, 2, 3, 4]);
    expect([log.printed, log.cutLines, log.cutAt(2), log.cutAt(3)]).toEqual([99, 95, 95, undefined]);
  });
});

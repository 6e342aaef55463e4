import { describe, expect, test } from 'bun:test';
import { copiedLines, startText } from './copied-lines.ts';
import { LineLog } from './line-log.ts';

/** A log of the lines 1,500 and 1,501, which got the one before it if it had room for it. */
function logWithRoomFor(lines: number): LineLog {
  const log = new LineLog({ lines, chars: 1_000 });
  log.skip({ events: 1_499, lines: 1_499 });
  for (const text of ['1500', '1501']) log.append(text);
  log.prepend([{ text: '1499', isError: false, continuesEvent: false }], false);
  return log;
}

describe('lines that are copied', () => {
  test('are all, or those that are wanted', () => {
    const log = new LineLog();
    for (const text of ['a', 'b', 'c']) log.append(text);
    expect(copiedLines(log)).toEqual({ text: 'a\nb\nc\n', count: 3, summary: '3 lines copied' });
    expect(copiedLines(log, 1, 2)).toEqual({ text: 'b\n', count: 1, summary: '1 line copied' });
    expect(copiedLines(log, 2, 9)).toMatchObject({ text: 'c\n', count: 1 });
    expect(startText(log)).toBeUndefined();
  });

  test('come with the number of the first one if the log has no room for those before', () => {
    const log = logWithRoomFor(2);
    expect(log.isWhole).toBe(true);
    expect(startText(log)).toBe('from line 1,500');
    expect(copiedLines(log).summary).toBe('2 lines copied, from line 1,500');
    expect(copiedLines(log, 1_400, 1_500)).toEqual({
      text: '1500\n',
      count: 1,
      summary: '1 line copied, from line 1,500',
    });
    expect(copiedLines(log, 1_500).summary).toBe('1 line copied');
    expect(copiedLines(log, 3, 5)).toMatchObject({ text: '', count: 0 });
  });

  test('have no first number while the log can get those before', () => {
    expect(startText(logWithRoomFor(3))).toBeUndefined();
  });
});

import { describe, expect, test } from 'bun:test';
import { cutMarker, readCutMarker } from '@svc/core/execution/cut-marker';
import fc from 'fast-check';
import { type EarlierLine, LineLog } from './line-log.ts';

const plain = (text: string): EarlierLine => ({ text, isError: false, continuesEvent: false });

/** All that a log says of its lines. */
function contents(log: LineLog) {
  const indexes = Array.from({ length: log.end - log.first }, (_, place) => log.first + place);
  return {
    printed: log.printed,
    cutLines: log.cutLines,
    lines: indexes.map((index) => ({
      ...log.at(index),
      number: log.numberOf(index),
      index: log.indexOf(log.numberOf(index)),
      cut: log.cutAt(index),
    })),
  };
}

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

describe('a log that begins with its last lines', () => {
  test('numbers them truly, and has a place for the others', () => {
    const log = new LineLog();
    log.skip({ events: 90, lines: 100, cut: { afterLines: 10, lines: 1_000 } });
    log.append('last');
    expect([log.start, log.first, log.end, log.isWhole]).toEqual([0, 100, 101, false]);
    expect([log.printed, log.cutLines, log.numberOf(9), log.numberOf(11)]).toEqual([1_100, 1_000, 10, 1_011]);
    expect(log.at(99)).toBeUndefined();
    expect(log.at(100)?.event).toBe(1_090);
  });

  test('is the same as one that had all lines from the start, whichever parts come', () => {
    const line: fc.Arbitrary<EarlierLine> = fc.record({
      text: fc.constantFrom('', 'a', '\u001b[31mred', '\u001b[0mplain', '\u001b[1mbold', 'b'),
      isError: fc.boolean(),
      continuesEvent: fc.boolean(),
    });
    const marker = fc.constantFrom(cutMarker({ bytes: 9, lines: 40 }), cutMarker(undefined)).map(plain);
    const parts = fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(parts, fc.option(fc.tuple(fc.nat(), marker)), (given, cut) => {
        // Each part begins with an event.
        const all = given.map((part) =>
          part.map((one, place) => ({ ...one, continuesEvent: one.continuesEvent && place > 0 })),
        );
        if (cut !== null) {
          const part = all[cut[0] % all.length] ?? [];
          part.push(cut[1]);
        }
        const whole = new LineLog();
        for (const { text, isError, continuesEvent } of all.flat())
          whole.append(text, isError, { continuesEvent });
        const last = all.pop() ?? [];
        const before = all.flat();
        const at = before.findIndex(({ text }) => readCutMarker(text) !== undefined);
        const log = new LineLog();
        log.skip({
          lines: before.length,
          events: before.filter(({ continuesEvent }) => !continuesEvent).length,
          cut:
            at < 0 ? undefined : { afterLines: at, lines: readCutMarker(before[at]?.text ?? '')?.lines ?? 0 },
        });
        for (const { text, isError, continuesEvent } of last) log.append(text, isError, { continuesEvent });
        expect([log.printed, log.cutLines]).toEqual([whole.printed, whole.cutLines]);
        for (const part of all.toReversed()) log.prepend(part, false);
        expect(log.isWhole).toBe(true);
        expect(contents(log)).toEqual(contents(whole));
        log.append('more');
        whole.append('more');
        expect(contents(log)).toEqual(contents(whole));
      }),
    );
  });

  test('is whole without lines that no longer come, and without those that do not fit', () => {
    const gone = new LineLog();
    gone.skip({ events: 5, lines: 5 });
    gone.append('6');
    gone.prepend([plain('5')], true);
    expect([gone.start, gone.first, gone.isWhole, gone.numberOf(4)]).toEqual([4, 4, true, 5]);
    const full = new LineLog({ lines: 3, chars: 1_000 });
    full.skip({ events: 5, lines: 5 });
    full.append('6');
    full.prepend([plain('3'), plain('4'), plain('5')], false);
    expect([full.start, full.first, full.isWhole]).toEqual([5, 5, true]);
    const dropped = new LineLog({ lines: 3, chars: 1_000 });
    dropped.skip({ events: 5, lines: 5 });
    for (const text of ['6', '7', '8', '9']) dropped.append(text);
    dropped.prepend([plain('5')], false);
    expect([dropped.start, dropped.first, dropped.isWhole]).toEqual([7, 7, true]);
  });
});

test('a line of raw stdout is no marker', () => {
  const log = new LineLog();
  log.append(cutMarker({ bytes: 1, lines: 5 }), false, { isRaw: true });
  expect(log.cutLines).toBe(0);
});

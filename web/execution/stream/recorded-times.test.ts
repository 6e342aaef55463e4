import { expect, test } from 'bun:test';
import { EventReader } from './event-reader.ts';
import { LineLog } from './line-log.ts';
import { timeOfLine } from './recorded-times.ts';

const STARTED_MS = Date.parse('2026-11-28T12:00:00.050Z');
const RECORD = {
  startedMs: STARTED_MS,
  marks: [
    [1, 0],
    [3, 1_250],
    [98, 3_600_000],
  ],
} as const;

/** The times of day, which do not depend on the zone of this machine below the hour. */
function minutesOf(log: LineLog, times: Parameters<typeof timeOfLine>[1]) {
  return Array.from({ length: log.end - log.first }, (_, place) => {
    const line = log.at(log.first + place);
    return line && timeOfLine(line, times)?.text.slice(3);
  });
}

test('a line has the time of the mark before it, and after a cut that of its number in the whole stream', () => {
  const log = new LineLog();
  for (const line of [
    '1',
    '2',
    '3',
    '[svc: 900 bytes of the stream cut here (94 lines), over the limit]',
    '98',
  ])
    log.append(line);
  expect(minutesOf(log, RECORD)).toEqual(['00:00.0', '00:00.0', '00:01.3', '00:01.3', '00:00.0']);
  expect(log.at(4)?.event).toBe(98);
});

test('a line after a cut of unknown length has no time', () => {
  const log = new LineLog();
  for (const line of ['1', '[svc: a part of the stream cut here, over the limit]', '?']) log.append(line);
  expect(minutesOf(log, RECORD)).toEqual(['00:00.0', undefined, undefined]);
});

test('the lines of one event of raw output have its time', () => {
  const reader = new EventReader();
  const { log } = reader;
  const events = ['a\nb\n', 'c\n', 'd\ne\n'].map((text) => ({
    type: 'output',
    encoding: 'base64',
    data: Buffer.from(text).toString('base64'),
  }));
  reader.push(new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')));
  expect([0, 1, 2, 3, 4].map((index) => log.at(index)?.event)).toEqual([1, 1, 2, 3, 3]);
});

test('hovering shows UTC and the time since the start', () => {
  expect(timeOfLine({ event: 3, arrivedMs: undefined }, RECORD)?.title).toBe(
    '2026-11-28 12:00:01 UTC, 1.2 s after the start',
  );
});

test('while an execution runs, only lines that were seen live have a time', () => {
  const log = new LineLog();
  log.append('before');
  log.append('live', false, { arrivedMs: STARTED_MS });
  log.append('later', false, { arrivedMs: STARTED_MS + 61_000 });
  expect(minutesOf(log, 'of arrival')).toEqual([undefined, '00:00.0', '01:01.0']);
  expect(timeOfLine({ event: 2, arrivedMs: STARTED_MS }, 'of arrival')?.title).toBe(
    '2026-11-28 12:00:00 UTC, when the line reached this browser',
  );
});

test('lines keep their times when older ones are dropped', () => {
  const log = new LineLog({ lines: 4, chars: 1_000 });
  for (let line = 1; line <= 5; line += 1)
    log.append(`${line}`, false, { arrivedMs: STARTED_MS + line * 1_000 });
  expect(log.first).toBeGreaterThan(0);
  expect(minutesOf(log, 'of arrival').at(-1)).toBe('00:05.0');
  expect(log.at(4)?.event).toBe(5);
});

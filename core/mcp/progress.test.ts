import { expect, test } from 'bun:test';
import { MovableClock } from '../../test/movable-clock.ts';
import { ProgressReports } from './progress.ts';

function reporting() {
  const clock = new MovableClock();
  const source = { lines: 0, lastLine: '' };
  const sent: [progress: number, message: string][] = [];
  const reports = new ProgressReports(clock, source, (progress, message) => {
    sent.push([progress, message]);
    return Promise.resolve();
  });
  const print = (line: string) => {
    source.lines += 1;
    source.lastLine = line;
    reports.changed();
  };
  return { clock, sent, reports, print };
}

test('progress comes at once, then at most four times per second, with the last line', () => {
  const { clock, sent, print } = reporting();
  print('one');
  expect(sent).toEqual([[1, 'one']]);
  print('two');
  print('three');
  clock.move(249);
  expect(sent).toHaveLength(1);
  clock.move(1);
  expect(sent).toEqual([
    [1, 'one'],
    [3, 'three'],
  ]);
});

test('a silent command gives a sign of life every 15 seconds, and progress rises', () => {
  const { clock, sent, reports } = reporting();
  clock.move(15_000);
  clock.move(15_000);
  expect(sent.map(([, message]) => message)).toEqual([
    'still running after 15 s',
    'still running after 30 s',
  ]);
  expect(sent[1]?.[0]).toBeGreaterThan(sent[0]?.[0] ?? 0);
  reports.end();
  clock.move(60_000);
  expect(sent).toHaveLength(2);
});

import { expect, test } from 'bun:test';
import { Progress } from './progress.ts';

function shown(
  isTTY: boolean,
  total: number | undefined,
  pieces: readonly (readonly [ms: number, bytes: number])[],
) {
  const written: string[] = [];
  let now = 0;
  {
    using progress = new Progress({
      label: 'photo.jpg',
      total,
      stream: { isTTY, write: (text) => written.push(text) },
      nowMs: () => now,
    });
    for (const [ms, bytes] of pieces) {
      now = ms;
      progress.add(bytes);
    }
  }
  return written;
}

test('a terminal shows bytes, share and rate, at most every 100 ms, and nothing in the end', () => {
  const pieces = [
    [100, 500_000],
    [500, 1_500_000],
    [599, 2_000_000],
    [1000, 96_000_000],
  ] as const;
  expect(shown(true, 100_000_000, pieces)).toEqual([
    '\rphoto.jpg  2.0 MB of 100.0 MB  2 %  4.0 MB/s',
    '\rphoto.jpg  100.0 MB of 100.0 MB  100 %  100.0 MB/s',
    `\r${' '.repeat(50)}\r`,
  ]);
});

test('a shorter line covers a longer one', () => {
  const [long = '', short = ''] = shown(true, undefined, [
    [10, 2_000_000],
    [10_000, 1],
  ]);
  expect([long, short]).toEqual(['\rphoto.jpg  2.0 MB  200.0 MB/s', '\rphoto.jpg  2.0 MB  0.2 MB/s  ']);
});

test('nothing is written in a pipe, nor for a short transfer', () => {
  expect(shown(false, 9_000_000, [[1000, 9_000_000]])).toEqual([]);
  expect(shown(true, 9_000, [[1000, 9_000]])).toEqual([]);
});

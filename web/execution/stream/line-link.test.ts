import { describe, expect, test } from 'bun:test';
import { lineLink, readLineLink } from './line-link.ts';

describe('a link to lines', () => {
  test.each([
    ['#L12', { from: 12, to: 12 }],
    ['L3-L7', { from: 3, to: 7 }],
    ['#L7-3', { from: 3, to: 7 }],
    ['#L0', { from: 1, to: 1 }],
  ])('is read from %j', (hash, lines) => {
    expect(readLineLink(hash)).toEqual(lines);
  });

  test.each(['', '#', '#L', '#Lx', '#L1-', '#12', '#L1e3', '#L1-L2-L3', '#L12345678901'])(
    'is not %j',
    (hash) => {
      expect(readLineLink(hash)).toBeUndefined();
    },
  );

  test('is read as it was written', () => {
    for (const lines of [
      { from: 4, to: 4 },
      { from: 4, to: 9 },
    ])
      expect(readLineLink(lineLink(lines))).toEqual(lines);
  });
});

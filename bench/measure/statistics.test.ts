import { expect, test } from 'bun:test';
import { median, spread } from './statistics.ts';

test('the median of an odd count is the middle value by size, not by place', () => {
  expect(median([10, 9, 100])).toBe(10);
});

test('the median of an even count lies between the two middle values', () => {
  expect(median([4, 1, 3, 100])).toBe(3.5);
});

test('nothing has no median', () => {
  expect(() => median([])).toThrow('median of no values');
});

test('a spread has the median and both ends', () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
});

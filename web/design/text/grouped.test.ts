import { expect, test } from 'bun:test';
import { grouped } from './grouped.ts';

test.each([0, 7, 999, 1_000, 12_345, 999_999, 1_234_567])('%p is grouped as in English', (count) => {
  expect(grouped(count)).toBe(count.toLocaleString('en-US'));
});

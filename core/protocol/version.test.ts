import { expect, test } from 'bun:test';
import { CLOSE_CODES, finalCloseReason } from './close-code.ts';
import { commonVersion } from './version.ts';

test.each([
  [[1, 1], [1, 1], 1],
  [[1, 3], [2, 5], 3],
  [[2, 5], [1, 3], 3],
  [[1, 5], [2, 3], 3],
  [[1, 2], [3, 4], undefined],
  [[3, 4], [1, 2], undefined],
] as const)('%j and %j have %p in common', ([min, max], [theirMin, theirMax], common) => {
  expect(commonVersion({ min, max }, { min: theirMin, max: theirMax })).toBe(common);
});

test('only what a person must change is final', () => {
  const final = Object.values(CLOSE_CODES).filter((code) => finalCloseReason(code) !== undefined);
  expect(final).toEqual([4401, 4403, 4409, 4426]);
  expect(finalCloseReason(1006)).toBeUndefined();
});

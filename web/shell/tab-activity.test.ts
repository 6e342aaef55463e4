import { expect, test } from 'bun:test';
import { activityWords, idsOf, newFailures } from './tab-activity.ts';

test.each([
  [0, 0, ''],
  [2, 0, '2 running'],
  [0, 1, '1 failed'],
  [2, 1, '1 failed, 2 running'],
])('%p running and %p failed is %p', (running, failed, words) => {
  expect(activityWords(running, failed)).toBe(words);
});

test('only failures that were not there before count', () => {
  const [first, second] = [{ execution_id: 'a' }, { execution_id: 'b' }];
  expect(newFailures([second, first], idsOf([first]))).toBe(1);
  expect(newFailures([first], idsOf([first]))).toBe(0);
  expect(newFailures([first], undefined)).toBe(0);
});

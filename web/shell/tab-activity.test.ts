import { expect, test } from 'bun:test';
import { activityWords, idsOf, newFailures } from './tab-activity.ts';

test.each([
  [page(0), 0, ''],
  [page(2), 0, '2 running'],
  [page(0), 1, '1 failed'],
  [page(2), 1, '1 failed, 2 running'],
  [page(20, 'more'), 0, '20+ running'],
  [page(0), 50, '50+ failed'],
])('%j running and %p failed is %p', (running, failed, words) => {
  expect(activityWords(running, failed)).toBe(words);
});

function page(count: number, next: string | null = null) {
  return { items: Array.from({ length: count }, (_, n) => n), next_cursor: next };
}

test('only failures that were not there before count', () => {
  const [first, second] = [{ execution_id: 'a' }, { execution_id: 'b' }];
  expect(newFailures([second, first], idsOf([first]))).toBe(1);
  expect(newFailures([first], idsOf([first]))).toBe(0);
  expect(newFailures([first], undefined)).toBe(0);
});

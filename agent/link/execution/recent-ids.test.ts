import { expect, test } from 'bun:test';
import { LruSet } from './recent-ids.ts';

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

test.each([1, 99, 100, 101, 199, 200, 201, 1_000])(
  'after %d ids the last hundred are known, and at most two hundred',
  (count) => {
    const recent = new LruSet(100);
    const ids = idsOf(count);
    for (const id of ids) recent.add(id);
    expect(ids.slice(-100).filter((id) => !recent.has(id))).toEqual([]);
    expect(ids.filter((id) => recent.has(id)).length).toBeLessThanOrEqual(200);
  },
);

test('an id that was never added is not known', () => {
  expect(new LruSet(100).has('0')).toBe(false);
});

import { expect, test } from 'bun:test';
import { RecentMap } from './recent-map.ts';

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

test.each([1, 99, 100, 101, 199, 200, 201, 1_000])(
  'after %d entries the last hundred are known, and at most two hundred',
  (count) => {
    const recent = new RecentMap<string, number>(200);
    const ids = idsOf(count);
    for (const [n, id] of ids.entries()) recent.set(id, n);
    expect(recent.size).toBeLessThanOrEqual(200);
    expect(ids.slice(-100).map((id) => recent.get(id))).toEqual(ids.slice(-100).map(Number));
    expect(recent.get('none')).toBeUndefined();
  },
);

test('an entry in use stays, whatever is added and evicted', () => {
  const recent = new RecentMap<string, number>(200);
  recent.set('hot', 1);
  for (const id of idsOf(1_000)) {
    recent.set(id, 0);
    expect(recent.get('hot')).toBe(1);
  }
});

test('the last value of a key counts, in whatever generation the one before is', () => {
  const recent = new RecentMap<string, number>(4);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const)
    recent.set(key, value);
  expect([recent.get('a'), recent.get('b'), recent.size]).toEqual([3, 2, 2]);
});

test('a taken entry is gone, in either generation', () => {
  const recent = new RecentMap<string, number>(4);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    recent.set(key, value);
  expect([recent.take('a'), recent.take('a'), recent.take('c'), recent.size]).toEqual([1, undefined, 3, 1]);
  recent.set('d', 4);
  recent.takeWhere((value) => value > 3);
  expect([recent.get('b'), recent.get('d')]).toEqual([2, undefined]);
  recent.clear();
  expect(recent.size).toBe(0);
});

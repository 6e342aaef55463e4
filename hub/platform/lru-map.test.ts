import { expect, test } from 'bun:test';
import { LruMap } from './lru-map.ts';

test('what was put in first is forgotten first, and no more than there is room for', () => {
  const recent = new LruMap<string, number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  expect([recent.get('a'), recent.get('b'), recent.size]).toEqual([3, 2, 2]);
  recent.set('c', 4);
  expect([recent.get('a'), recent.get('b'), recent.get('c'), recent.size]).toEqual([undefined, 2, 4, 2]);
});

test('what is taken is there no more, and leaves its room', () => {
  const recent = new LruMap<string, number>(1);
  recent.set('a', 1);
  expect([recent.take('a'), recent.take('a'), recent.size]).toEqual([1, undefined, 0]);
  recent.set('b', 2);
  expect(recent.get('b')).toBe(2);
});

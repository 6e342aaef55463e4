import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalJson } from '../../api/json/canonical-json.ts';
import { type JsonValue, jsonField, sameValue } from './json-value.ts';

test.each<[JsonValue, string, JsonValue]>([
  [{ a: 1 }, 'a', 1],
  [{ a: null }, 'a', null],
  [{}, 'constructor', null],
  [{}, '__proto__', null],
  [JSON.parse('{"__proto__": 1}'), '__proto__', 1],
  [['x'], '0', 'x'],
  [['x'], '1', null],
  [['x'], 'length', null],
  ['text', 'length', null],
  ['text', '0', null],
  [null, 'a', null],
])('in %j there is under %s: %j', (value, name, found) => {
  expect(jsonField(value, name)).toEqual(found);
});

test.each<[JsonValue, JsonValue]>([
  [{}, []],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{ a: null }, { b: null }],
  [['a'], { 0: 'a' }],
  [
    [1, 2],
    [2, 1],
  ],
  [{}, null],
  [0, false],
  ['', null],
])('%j and %j are not the same', (a, b) => {
  expect(sameValue(a, b)).toBe(false);
});

test('values are the same exactly when their canonical JSON is', () => {
  const value = fc.jsonValue({ maxDepth: 2, depthSize: 'small' }) as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sameValue(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      expect(sameValue(a, JSON.parse(canonicalJson(a)))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a megabyte is compared soon, and again at once: conditions may do so thousands of times', () => {
  const twice = (text: string): JsonValue[] => [0, 1].map(() => JSON.parse(text) as JsonValue);
  const fields = Array.from({ length: 60_000 }, (_, n) => `"key${n}":{}`);
  const startedAt = performance.now();
  for (const [a = null, b = null] of [twice(`[${'0,'.repeat(500_000)}1]`), twice(`{${fields.join(',')}}`)])
    for (let times = 0; times < 10_000; times += 1) sameValue(a, b);
  // A twentieth of it is usual; without either of the two it would be minutes.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

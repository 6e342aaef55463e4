import { expect, test } from 'bun:test';
import { isIdempotencyKey, requestIdentity } from './request-identity.ts';

const identity = (method: string, values: Record<string, string>) =>
  requestIdentity(method, new Map(Object.entries(values)));

test('two requests are the same whatever the order of their values', () => {
  expect(identity('POST', { a: '1', b: '2' })).toBe(identity('POST', { b: '2', a: '1' }));
});

test('and differ in method, names and values, however these are cut', () => {
  const all = [
    identity('POST', { a: '1' }),
    identity('GET', { a: '1' }),
    identity('POST', { a: '2' }),
    identity('POST', { b: '1' }),
    identity('POST', {}),
    identity('POST', { a: '1","b":"2' }),
    identity('POST', { a: '1', b: '2' }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test.each([
  ['x', true],
  ['a b-c_d:1', true],
  ['k'.repeat(255), true],
  ['k'.repeat(256), false],
  ['', false],
  ['a\tb', false],
  ['é', false],
])('%p may be a key: %p', (text, expected) => {
  expect(isIdempotencyKey(text)).toBe(expected);
});

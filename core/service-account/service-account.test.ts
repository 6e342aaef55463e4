import { expect, test } from 'bun:test';
import { Refusal } from '../refusal.ts';
import { actsWithRole, scopeOfKey } from './service-account.ts';

test.each([
  ['admin', undefined, undefined],
  ['member', ['deploy'], ['deploy']],
  ['viewer', undefined, []],
] as const)('the key of %s for %p may call %p', (role, wanted, scope) => {
  expect(scopeOfKey({ role }, wanted)).toEqual(scope as string[] | undefined);
});

test('the key of a viewer cannot be for endpoints', () => {
  expect(() => scopeOfKey({ role: 'viewer' }, ['deploy'])).toThrow(Refusal);
});

test.each([
  ['admin', undefined, true],
  ['admin', ['deploy'], false],
  ['member', ['deploy'], false],
  ['viewer', [], true],
] as const)('the key of %s for %p acts with the role: %p', (role, endpoints, acts) => {
  expect(actsWithRole({ role }, endpoints)).toBe(acts);
});

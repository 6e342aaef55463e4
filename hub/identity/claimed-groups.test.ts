import { expect, test } from 'bun:test';
import { areGroupsElsewhere, claimedGroups } from './claimed-groups.ts';

test.each([
  ['a list', { groups: ['a', 'b'] }, 'groups', ['a', 'b']],
  ['a text, which is one group', { groups: 'a b,c' }, 'groups', ['a b,c']],
  ['a list at a path', { realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
  ['a claim whose name has dots', { 'https://a.example/g': ['a'] }, 'https://a.example/g', ['a']],
  ['a list with other things in it', { groups: ['a', 1, null, '', { b: 1 }] }, 'groups', ['a']],
  ['neither a text nor a list', { groups: { a: true } }, 'groups', []],
  ['an empty list', { groups: [] }, 'groups', []],
  ['no claim', {}, 'groups', undefined],
  ['a path that ends early', { realm_access: 'x' }, 'realm_access.roles', undefined],
  ['a name that every object inherits', {}, 'constructor.name', undefined],
] as const)('the groups of %s', (_what, claims, claim, expected) => {
  expect(claimedGroups(claims, claim)).toEqual(expected as string[] | undefined);
});

test('a provider says that it left the groups out', () => {
  expect(areGroupsElsewhere({ _claim_names: { groups: 'src1' } }, 'groups')).toBe(true);
  expect(areGroupsElsewhere({ _claim_names: { other: 'src1' } }, 'groups')).toBe(false);
  expect(areGroupsElsewhere({}, 'groups')).toBe(false);
});

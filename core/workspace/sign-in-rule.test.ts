import { expect, test } from 'bun:test';
import { needsProvider, type SignInRule } from './sign-in-rule.ts';

test.each([
  [undefined, 'member', 'staff', false],
  ['offered', 'owner', undefined, false],
  ['offered', 'admin', undefined, false],
  ['offered', 'viewer', 'staff', true],
  ['required', 'owner', undefined, false],
  ['required', 'owner', 'staff', false],
  ['required', 'admin', undefined, true],
  ['required', 'member', 'staff', true],
] as const)('where a provider is %s, the %s of group %s needs it: %p', (rule, role, viaGroup, needs) => {
  expect(needsProvider(rule as SignInRule | undefined, { role, viaGroup })).toBe(needs);
});

import { expect, test } from 'bun:test';
import type { Workspace } from '../accounts/account-ports.ts';
import { hostedClaim, hostedQuotaExceeded, noPlace } from './hosted-plan.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const of = (plan: Workspace['plan']) =>
  ({ id: 'w1', ownerId: 'u1', username: 'ada', plan, createdAtMs: 0 }) as Workspace;

test.each([
  ['pro', 5, 5_000],
  ['team', 20, 50_000],
] as const)(
  'the plan %s has %i hosted executions at a time and %i a month, claimed and named in refusals',
  (plan, concurrent, limit) => {
    expect(hostedClaim(of(plan), NOW_MS).hosted).toEqual({ period: '2026-11 hosted', limit, concurrent });
    expect(hostedQuotaExceeded(of(plan), NOW_MS)).toMatchObject({
      code: 'quota_exceeded',
      message: `the ${limit} executions on the hosted runner of this month are used up (plan ${plan})`,
    });
    expect(noPlace(of(plan), 1_000).message).toEndWith(`the plan ${plan} has ${concurrent}`);
  },
);

test('the plan free claims nothing: it has no hosted runner', () => {
  expect(() => hostedClaim(of('free'), NOW_MS)).toThrow('the plan free has no hosted runner');
});

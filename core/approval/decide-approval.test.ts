import { describe, expect, test } from 'bun:test';
import { decideApproval, type Preconditions } from './decide-approval.ts';
import { type Decider, type DecisionRules, mayDecide } from './may-decide.ts';

const PENDING = { closing: undefined, expiresAtMs: 1_000, requesterId: 'ada' };
const LINK = { kind: 'link' } as const;
const ADA: Decider = {
  kind: 'member',
  id: 'ada',
  email: 'ada@example.org',
  role: 'owner',
  credential: 'token',
};
const ADA_IN_BROWSER: Decider = { ...ADA, credential: 'session' };
const LIN: Decider = {
  kind: 'member',
  id: 'lin',
  email: 'Lin@example.org',
  role: 'member',
  credential: 'token',
};
const FINE = { stale: undefined, rules: { allowSelf: true } };

const SOURCE = {
  actor: { kind: 'link', id: undefined, name: 'somebody' },
  from: { address: undefined, userAgent: undefined },
} as const;

function decided(
  wanted: { readonly decision: 'approve' | 'deny'; readonly approver: Decider },
  nowMs = 0,
  preconditions: Preconditions = FINE,
  approval: Parameters<typeof decideApproval>[0] = PENDING,
) {
  return decideApproval(approval, { comment: undefined, source: SOURCE, ...wanted }, preconditions, nowMs);
}

describe('a decision', () => {
  test('counts until the last millisecond before the expiry', () => {
    const approve = { decision: 'approve', approver: LINK } as const;
    expect([0, 999, 1_000, 1_001].map((nowMs) => decided(approve, nowMs).action)).toEqual([
      'approval.approved',
      'approval.approved',
      'approval.expired',
      'approval.expired',
    ]);
    expect(decided(approve, 1_000)).toMatchObject({
      closing: { state: 'expired', reason: 'timed_out', by: { kind: 'hub' } },
      end: { state: 'expired', errorCode: 'approval_expired' },
      refusal: { code: 'approval_expired' },
    });
  });

  test('that is not the first is refused, from any person and at any time', () => {
    const by = { kind: 'member', id: 'lin', name: 'lin@example.org' } as const;
    const closing = { state: 'denied', reason: undefined, atMs: 5, by, comment: 'not today' } as const;
    for (const nowMs of [6, 5_000])
      for (const approver of [LINK, ADA])
        expect(() =>
          decided({ decision: 'approve', approver }, nowMs, FINE, { ...PENDING, closing }),
        ).toThrow('it was denied by lin@example.org at 1970-01-01T00:00:00.005Z');
  });

  test('that approves a changed request is stale, and denying it is not', () => {
    const now = { stale: 'definition_changed', rules: FINE.rules } as const;
    expect(decided({ decision: 'approve', approver: LIN }, 0, now)).toMatchObject({
      closing: { state: 'expired', reason: 'stale', by: { kind: 'member', id: 'lin' } },
      end: { state: 'rejected', reason: 'stale' },
      details: { because: 'definition_changed' },
      refusal: { code: 'stale', details: { reason: 'definition_changed' } },
    });
    expect(decided({ decision: 'deny', approver: LIN }, 0, now)).toMatchObject({
      closing: { state: 'denied' },
      end: { state: 'denied', error: 'it was denied by somebody' },
      refusal: undefined,
    });
  });

  test('that approves queues the execution and keeps the comment', () => {
    const wanted = { decision: 'approve', approver: LINK, comment: 'go' } as const;
    expect(decided(wanted, 7)).toEqual({
      closing: {
        ...{ state: 'approved', reason: undefined, atMs: 7, comment: 'go' },
        by: { kind: 'link', id: undefined, name: 'somebody' },
      },
      ...{ end: undefined, action: 'approval.approved', details: { comment: 'go' }, refusal: undefined },
    });
  });

  test('by a person without the permission is refused before the request is described', () => {
    const now = { stale: 'key_revoked', rules: { allowSelf: true, approvers: ['admin'] } } as const;
    for (const decision of ['approve', 'deny'] as const)
      expect(() => decided({ decision, approver: LIN }, 0, now)).toThrow('you may not decide on this call');
  });
});

describe('permission to decide', () => {
  const table: readonly (readonly [rules: DecisionRules, by: Decider, expected: string])[] = [
    [{ allowSelf: true }, LINK, 'yes'],
    [{ allowSelf: true }, ADA, 'yes'],
    [{ allowSelf: true }, LIN, 'yes'],
    [{ allowSelf: false }, LINK, 'sign_in'],
    [{ allowSelf: false }, ADA, 'own_call'],
    [{ allowSelf: false }, LIN, 'yes'],
    [{ allowSelf: true, approvers: ['admin'] }, LINK, 'sign_in'],
    [{ allowSelf: true, approvers: ['admin'] }, ADA, 'not_approver'],
    [{ allowSelf: true, approvers: ['admin', 'member'] }, LIN, 'yes'],
    [{ allowSelf: true, approvers: ['lin@EXAMPLE.org'] }, LIN, 'yes'],
    [{ allowSelf: true, approvers: ['lin@example.org'] }, ADA, 'not_approver'],
    [{ allowSelf: false, approvers: ['owner'] }, ADA, 'own_call'],
    [{ allowSelf: true, isFromAgent: true }, LINK, 'sign_in'],
    [{ allowSelf: true, isFromAgent: true }, ADA, 'needs_session'],
    [{ allowSelf: true, isFromAgent: true }, ADA_IN_BROWSER, 'yes'],
    [{ allowSelf: true, isFromAgent: true }, LIN, 'yes'],
    [{ allowSelf: true, isFromAgent: true }, { ...LIN, credential: 'agent_token' }, 'needs_session'],
    [{ allowSelf: true }, { ...LIN, credential: 'agent_token' }, 'needs_session'],
    [{ allowSelf: false, isFromAgent: true }, ADA_IN_BROWSER, 'own_call'],
    [{ allowSelf: true, isFromAgent: true, approvers: ['admin'] }, ADA_IN_BROWSER, 'not_approver'],
  ];
  for (const [rules, by, expected] of table)
    test(`${JSON.stringify(rules)}: ${by.kind === 'link' ? 'the link' : `${by.id} by ${by.credential}`}: ${expected}`, () =>
      expect(mayDecide(rules, 'ada', by)).toBe(expected as never));

  test('no one, if the caller is not known and another person has to decide', () => {
    expect(mayDecide({ allowSelf: false }, undefined, ADA)).toBe('unknown_caller');
    expect(mayDecide({ allowSelf: true }, undefined, ADA)).toBe('yes');
    expect(mayDecide({ allowSelf: true, isFromAgent: true }, undefined, ADA)).toBe('needs_session');
  });
});

import { describe, expect, test } from 'bun:test';
import { decideApproval, type Verdict } from './decide-approval.ts';
import { type ApproverRules, type Decider, mayDecide } from './may-decide.ts';

const PENDING = { closing: undefined, expiresAtMs: 1_000, requesterId: 'ada' };
const LINK = { kind: 'link' } as const;
const ADA: Decider = { kind: 'member', id: 'ada', email: 'ada@example.org', role: 'owner' };
const LIN: Decider = { kind: 'member', id: 'lin', email: 'Lin@example.org', role: 'member' };
const FINE = { stale: undefined, rules: { allowSelf: true } };

const kind = (verdict: Verdict) => verdict.kind;

describe('a decision', () => {
  test('counts until the last millisecond, and not at that of the expiry', () => {
    const approve = { decision: 'approve', by: LINK } as const;
    expect(
      [0, 999, 1_000, 1_001].map((nowMs) => kind(decideApproval(PENDING, approve, nowMs, FINE))),
    ).toEqual(['approve', 'approve', 'expired', 'expired']);
  });

  test('that comes second is told of the first, however late and whoever asks', () => {
    const by = { kind: 'member', id: 'lin', name: 'lin@example.org' } as const;
    const closing = { state: 'denied', reason: undefined, atMs: 5, by, comment: 'not today' } as const;
    const wanted = { decision: 'approve', by: LINK } as const;
    for (const nowMs of [6, 5_000])
      expect(decideApproval({ ...PENDING, closing }, wanted, nowMs, FINE)).toEqual({
        kind: 'closed',
        closing,
      });
  });

  test('to approve what is not as it was shown is stale; to deny it is not', () => {
    const now = { stale: 'definition_changed', rules: FINE.rules } as const;
    expect(decideApproval(PENDING, { decision: 'approve', by: LIN }, 0, now)).toEqual({
      kind: 'stale',
      because: 'definition_changed',
    });
    expect(kind(decideApproval(PENDING, { decision: 'deny', by: LIN }, 0, now))).toBe('deny');
  });

  test('of somebody who may not is refused before anything else is told', () => {
    const now = { stale: 'key_revoked', rules: { allowSelf: true, approvers: ['admin'] } } as const;
    for (const decision of ['approve', 'deny'] as const)
      expect(decideApproval(PENDING, { decision, by: LIN }, 0, now)).toEqual({
        kind: 'not_allowed',
        because: 'not_approver',
      });
  });
});

describe('who may decide', () => {
  const table: readonly (readonly [rules: ApproverRules, by: Decider, expected: string])[] = [
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
  ];
  for (const [rules, by, expected] of table)
    test(`${JSON.stringify(rules)}: ${by.kind === 'link' ? 'the link' : by.id}: ${expected}`, () =>
      expect(mayDecide(rules, 'ada', by)).toBe(expected as never));

  test('nobody, when the caller is not known and another person has to decide', () => {
    expect(mayDecide({ allowSelf: false }, undefined, ADA)).toBe('unknown_caller');
    expect(mayDecide({ allowSelf: true }, undefined, ADA)).toBe('yes');
  });
});

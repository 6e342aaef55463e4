import { describe, expect, test } from 'bun:test';
import type { Plan } from '../plan/plans.ts';
import { Refusal } from '../refusal.ts';
import type { Role } from '../workspace/permissions.ts';
import { decideInvite, decideResend, decideWithdrawal } from './decide-invite.ts';
import { decideJoin } from './decide-join.ts';
import { decideLeaving, decideRemoval, decideRole } from './decide-membership.ts';
import { INVITE_LIFE_MS, type Invite } from './invite.ts';
import { seatsUsed, type Team } from './team.ts';

const NOW = 1_000_000_000_000;

function team(
  people: Readonly<Record<string, Role>>,
  { plan = 'team', invites = [] }: { plan?: Plan; invites?: readonly Invite[] } = {},
): Team {
  const members = Object.entries(people).map(([userId, role]) => ({
    userId,
    role,
    email: `${userId}@example.com`,
    joinedAtMs: 0,
    viaGroup: undefined,
  }));
  return { workspaceId: 'w', plan, revision: 7, members, invites, groupRoles: [], offer: undefined };
}

function invite(more: Partial<Invite> = {}): Invite {
  return {
    id: 'i',
    workspaceId: 'w',
    email: 'Lin@example.com',
    role: 'member',
    state: 'pending',
    generation: 0,
    invitedBy: 'ada',
    createdAtMs: NOW - 1_000,
    expiresAtMs: NOW + 1,
    closedAtMs: undefined,
    ...more,
  };
}

const EXPIRED = invite({ expiresAtMs: NOW });
const LIN = { id: 'lin', email: 'lin@Example.com' };
const wanted = (email: string) => ({ id: 'new', email, role: 'member' }) as const;

/** The code with which something is refused; `allowed` when it is not. */
function codeOf(decide: () => unknown): string {
  try {
    decide();
    return 'allowed';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('seats', () => {
  test('are taken by members and by invitations that can be accepted, to the millisecond', () => {
    expect(seatsUsed(team({ ada: 'owner', bob: 'member' }, { invites: [invite()] }), NOW)).toBe(3);
    expect(seatsUsed(team({ ada: 'owner', bob: 'member' }, { invites: [EXPIRED] }), NOW)).toBe(2);
  });

  test.each([
    ['free', 1, 'seat_limit_reached'],
    ['pro', 1, 'seat_limit_reached'],
    ['team', 2, 'allowed'],
    ['team', 3, 'seat_limit_reached'],
    ['unlimited', 3, 'allowed'],
  ] as const)('on the plan %s with %i members: an invitation is %s', (plan, count, expected) => {
    const people: Record<string, Role> = { ada: 'owner', bob: 'admin', cyd: 'member' };
    const some = Object.fromEntries(Object.entries(people).slice(0, count));
    expect(codeOf(() => decideInvite(team(some, { plan }), 'ada', wanted('new@example.com'), NOW))).toBe(
      expected,
    );
  });

  test('that are all taken are reported with their number', () => {
    const full = team({ ada: 'owner', bob: 'member' }, { invites: [invite()] });
    expect(() => decideInvite(full, 'ada', wanted('new@example.com'), NOW)).toThrow(
      expect.objectContaining({ details: { used: 3, limit: 3 } }),
    );
  });
});

describe('an invitation', () => {
  const small = team({ ada: 'owner', bob: 'admin', cyd: 'member' }, { plan: 'unlimited' });

  test.each([
    ['ada', 'allowed'],
    ['bob', 'allowed'],
    ['cyd', 'forbidden'],
    ['gone', 'unauthorized'],
  ])('from %s is %s', (actor, expected) => {
    expect(codeOf(() => decideInvite(small, actor, wanted('new@example.com'), NOW))).toBe(expected);
  });

  test('works for seven days', () => {
    const { expiresAtMs, generation } = decideInvite(small, 'ada', wanted('new@example.com'), NOW);
    expect([expiresAtMs - NOW, generation]).toEqual([7 * 86_400_000, 0]);
  });

  test('is not for members, nor for who has one; how an address is spelled makes no difference', () => {
    const known = team({ ada: 'owner', bob: 'admin' }, { plan: 'unlimited', invites: [invite()] });
    const code = (email: string) => codeOf(() => decideInvite(known, 'ada', wanted(email), NOW));
    expect([code('BOB@example.com'), code('lin@EXAMPLE.com'), code('max@example.com')]).toEqual([
      'already_member',
      'already_invited',
      'allowed',
    ]);
    const later = team({ ada: 'owner' }, { plan: 'unlimited', invites: [EXPIRED] });
    expect(codeOf(() => decideInvite(later, 'ada', wanted('lin@example.com'), NOW))).toBe('allowed');
  });

  test('that is sent again has a new link and a new expiry', () => {
    const again = decideResend(team({ ada: 'owner' }, { invites: [invite()] }), 'ada', 'i', NOW);
    expect([again.generation, again.expiresAtMs]).toEqual([1, NOW + INVITE_LIFE_MS]);
  });

  test('is sent again in a full team, unless its seat is taken by another person', () => {
    const people = { ada: 'owner', bob: 'admin' } as const;
    const resend = (of: Team) => codeOf(() => decideResend(of, 'ada', 'i', NOW));
    expect(resend(team(people, { invites: [invite()] }))).toBe('allowed');
    expect(resend(team({ ...people, cyd: 'member' }, { invites: [EXPIRED] }))).toBe('seat_limit_reached');
    const other = invite({ id: 'j' });
    expect(resend(team({ ada: 'owner' }, { invites: [EXPIRED, other] }))).toBe('already_invited');
    expect(resend(team(people))).toBe('not_found');
  });

  test('is withdrawn, also when its time is over', () => {
    for (const open of [invite(), EXPIRED])
      expect(decideWithdrawal(team({ ada: 'owner' }, { invites: [open] }), 'ada', 'i', NOW)).toMatchObject({
        state: 'withdrawn',
        closedAtMs: NOW,
      });
  });
});

describe('joining', () => {
  const people = { ada: 'owner', bob: 'admin' } as const;
  const join = (of: Team, user = LIN) => codeOf(() => decideJoin(of, { id: 'i', generation: 0 }, user, NOW));

  test('takes the seat that the invitation holds', () => {
    expect(join(team(people, { invites: [invite()] }))).toBe('allowed');
    expect(join(team(people, { invites: [invite()], plan: 'free' }))).toBe('seat_limit_reached');
    expect(join(team({ ...people, cyd: 'member' }, { invites: [invite()] }))).toBe('seat_limit_reached');
  });

  test('is for who was invited, once and in time', () => {
    const open = team(people, { invites: [invite()] });
    expect(join(open, { id: 'eve', email: 'eve@example.com' })).toBe('forbidden');
    expect(join(team(people, { invites: [EXPIRED] }))).toBe('link_expired');
    expect(join(team(people))).toBe('link_used');
    expect(join(team(people, { invites: [invite({ generation: 1 })] }))).toBe('link_expired');
    expect(join(team({ ...people, lin: 'member' }, { invites: [invite()], plan: 'unlimited' }))).toBe(
      'already_member',
    );
  });
});

describe('membership', () => {
  const all = team({ ada: 'owner', bob: 'admin', cyd: 'admin', dan: 'member' });
  const actors = ['ada', 'bob', 'dan', 'gone'];

  test.each([
    ['ada', ['forbidden', 'forbidden', 'forbidden', 'unauthorized']],
    ['cyd', ['allowed', 'allowed', 'forbidden', 'unauthorized']],
    ['nobody', ['not_found', 'not_found', 'forbidden', 'unauthorized']],
  ])(
    'only some roles may remove %s or give them another role: owner, admin, member, none',
    (target, expected) => {
      expect(actors.map((actor) => codeOf(() => decideRemoval(all, actor, target)))).toEqual(expected);
      expect(actors.map((actor) => codeOf(() => decideRole(all, actor, target, 'member')))).toEqual(expected);
    },
  );

  test('a role that the member already has is no change', () => {
    expect(decideRole(all, 'ada', 'cyd', 'admin').isChanged).toBe(false);
    expect(decideRole(all, 'ada', 'cyd', 'member')).toMatchObject({
      isChanged: true,
      member: { role: 'member' },
    });
  });

  test('everybody leaves but the owner', () => {
    const leave = (userId: string) => codeOf(() => decideLeaving(all, userId));
    expect(['ada', 'bob', 'dan', 'gone'].map(leave)).toEqual([
      'forbidden',
      'allowed',
      'allowed',
      'unauthorized',
    ]);
  });
});

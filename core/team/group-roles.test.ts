import { describe, expect, test } from 'bun:test';
import { Refusal } from '../refusal.ts';
import type { Role } from '../workspace/permissions.ts';
import { decideByGroups, decideByRules } from './decide-group-membership.ts';
import { EVERYONE, type GroupRole, type PersonInGroups, roleOfGroups } from './group-roles.ts';
import type { Team } from './team.ts';

const rule = (group: string, role: GroupRole['role'], ...domains: string[]): GroupRole => ({
  group,
  role,
  domains,
});
const inGroups = (...groups: string[]): PersonInGroups => ({ groups, verifiedEmail: undefined });
const RULES = [rule('see', 'viewer'), rule('run', 'member'), rule('lead', 'admin', 'example.com')];

describe('the role of', () => {
  test.each([
    ['a person in no group', inGroups(), undefined],
    ['a person in another group', inGroups('other'), undefined],
    ['a person in one group', inGroups('run'), 'member'],
    ['a person in several is the strongest', inGroups('see', 'run'), 'member'],
    ['a group with a domain, without an address', inGroups('see', 'lead'), 'viewer'],
    [
      'a group with a domain, from it',
      { groups: ['lead', 'see'], verifiedEmail: 'lin@EXAMPLE.com' },
      'admin',
    ],
    [
      'a group with a domain, from one that only ends like it',
      { groups: ['lead'], verifiedEmail: 'lin@evil-example.com' },
      undefined,
    ],
    [
      'a group with a domain, with it before the sign',
      { groups: ['lead'], verifiedEmail: '"@example.com"@evil.example' },
      undefined,
    ],
  ] as const)('%s', (_what, person, role) => {
    expect(roleOfGroups(RULES, person)?.role).toBe(role);
  });

  test('everyone needs a domain, also for a person who is in a group of that name', () => {
    expect(roleOfGroups([rule(EVERYONE, 'viewer')], inGroups(EVERYONE))).toBeUndefined();
    const ofDomain = [rule(EVERYONE, 'viewer', 'example.com')];
    expect(roleOfGroups(ofDomain, inGroups(EVERYONE))).toBeUndefined();
    expect(roleOfGroups(ofDomain, { groups: [], verifiedEmail: 'lin@example.com' })?.role).toBe('viewer');
  });
});

function team(
  people: Readonly<Record<string, readonly [Role, string?]>>,
  plan: Team['plan'] = 'unlimited',
): Team {
  const members = Object.entries(people).map(([userId, [role, viaGroup]]) => ({
    userId,
    role,
    viaGroup,
    email: `${userId}@example.com`,
    joinedAtMs: 0,
  }));
  return { workspaceId: 'w', plan, revision: 1, members, invites: [], offer: undefined, groupRoles: RULES };
}

describe('a membership', () => {
  test.each([
    ['of a stranger without a group', team({}), inGroups(), 'none'],
    ['of a stranger in a group', team({}), inGroups('run'), 'joins'],
    ['by a group that is still theirs', team({ lin: ['member', 'run'] }), inGroups('run'), 'none'],
    ['by a group with another role now', team({ lin: ['viewer', 'run'] }), inGroups('run'), 'has_role'],
    ['by a group, when they are in another', team({ lin: ['member', 'run'] }), inGroups('see'), 'has_role'],
    ['by a group that they have left', team({ lin: ['member', 'run'] }), inGroups(), 'leaves'],
    ['by hand, without a group', team({ lin: ['admin'] }), inGroups(), 'none'],
    ['by hand, in a group', team({ lin: ['admin'] }), inGroups('see'), 'none'],
    ['of the owner', team({ lin: ['owner'] }), inGroups('see'), 'none'],
    ['of the owner, if the store marked it', team({ lin: ['owner', 'run'] }), inGroups(), 'none'],
  ] as const)('%s', (_what, now, person, kind) => {
    expect(decideByGroups(now, 'lin', person, 0).kind).toBe(kind);
  });

  test('keeps its epoch when only the group is another one with the same role', () => {
    const decision = decideByGroups(team({ lin: ['member', 'gone'] }), 'lin', inGroups('run'), 0);
    expect(decision).toMatchObject({ kind: 'has_role', isChanged: false, rule: { group: 'run' } });
  });

  test('needs a seat to begin, and none to change', () => {
    const full = { ada: ['owner'], lin: ['viewer', 'run'] } as const;
    expect(() => decideByGroups(team({ ada: ['owner'] }, 'free'), 'lin', inGroups('run'), 0)).toThrow(
      Refusal,
    );
    expect(decideByGroups(team(full, 'free'), 'lin', inGroups('run'), 0).kind).toBe('has_role');
  });

  test('ends when its rule is gone, and follows the role of its rule', () => {
    const now = team({ ada: ['owner'], bob: ['member'], cyd: ['member', 'gone'], dan: ['viewer', 'run'] });
    const kinds = ['ada', 'bob', 'cyd', 'dan', 'nobody'].map((id) => decideByRules(now, id).kind);
    expect(kinds).toEqual(['none', 'none', 'leaves', 'has_role', 'none']);
  });
});

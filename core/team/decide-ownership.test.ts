import { expect, test } from 'bun:test';
import type { Refusal } from '../refusal.ts';
import type { Role } from '../workspace/permissions.ts';
import {
  decideAcceptance,
  decideNoTransfer,
  decideOffer,
  OWNERSHIP_OFFER_LIFE_MS,
} from './decide-ownership.ts';
import type { Team } from './team.ts';

const LIFE = OWNERSHIP_OFFER_LIFE_MS;
const member = (userId: string, role: Role, joinedAtMs = 0) => ({
  ...{ userId, email: `${userId}@example.com`, role, joinedAtMs, viaGroup: undefined },
});

function team(offeredAtMs?: number, joinedAtMs = 0): Team {
  const offer =
    offeredAtMs === undefined ? undefined : { userId: 'lin', offeredAtMs, expiresAtMs: offeredAtMs + LIFE };
  const members = [member('ada', 'owner'), member('bob', 'admin'), member('lin', 'viewer', joinedAtMs)];
  return { workspaceId: 'w', plan: 'team', revision: 1, members, invites: [], groupRoles: [], offer };
}

function outcome(decide: () => unknown): unknown {
  try {
    return decide();
  } catch (error) {
    return (error as Refusal).code;
  }
}

test.each([
  ['ada', 'lin', expect.objectContaining({ userId: 'lin' })],
  ['ada', 'ada', 'forbidden'],
  ['ada', 'eve', 'not_found'],
  ['bob', 'lin', 'forbidden'],
  ['eve', 'lin', 'forbidden'],
])('%s offers the ownership to %s: %p', (actor, to, expected) => {
  expect(outcome(() => decideOffer(team(), actor, to))).toEqual(expected);
});

const ACCEPTED = {
  from: expect.objectContaining({ userId: 'ada' }),
  to: expect.objectContaining({ userId: 'lin' }),
};
test.each([
  ['lin', team(10), 10, ACCEPTED],
  ['lin', team(10), 9 + LIFE, ACCEPTED],
  ['lin', team(10), 10 + LIFE, 'not_found'],
  ['bob', team(10), 10, 'not_found'],
  ['ada', team(10), 10, 'not_found'],
  ['lin', team(), 10, 'not_found'],
  // They left after the offer, and came back.
  ['lin', team(10, 11), 12, 'not_found'],
])('%s accepts what is offered: %#', (userId, of, nowMs, expected) => {
  expect(outcome(() => decideAcceptance(of, userId, nowMs))).toEqual(expected);
});

test.each([
  ['ada', 'lin'],
  ['lin', 'lin'],
  ['bob', 'not_found'],
])('%s ends the offer to lin: %s', (userId, expected) => {
  const ended = outcome(() => decideNoTransfer(team(10), userId, 10));
  expect(typeof ended === 'string' ? ended : (ended as { userId: string }).userId).toBe(expected);
  expect(outcome(() => decideNoTransfer(team(), userId, 10))).toBe('not_found');
});

import { z } from 'zod';
import { ASSIGNABLE_ROLES, INVITE_STATES } from '../../team/invite.ts';
import { member, OPEN } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { email, ID, oneOf, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const newInvite = z
  .strictObject({
    email: email().describe('Where the invitation goes; only who signs in with it can join.'),
    role: oneOf(ASSIGNABLE_ROLES).describe('What they will be in the team.'),
  })
  .meta({ id: 'NewInvite' });

const invite = z
  .strictObject({
    id: ID,
    email: z.string(),
    role: z.enum(ASSIGNABLE_ROLES),
    status: z
      .enum([...INVITE_STATES, 'expired'])
      .describe('An invitation that is `pending` holds a seat; one that has expired can be sent again.'),
    created_at: TIME,
    expires_at: TIME.describe('Seven days after the newest mail.'),
  })
  .meta({
    id: 'Invite',
    description: 'Somebody who is asked to join. The token of the link is in the mail only.',
  });

const newRole = z.strictObject({ role: oneOf(ASSIGNABLE_ROLES) }).meta({ id: 'NewRole' });

const teamMember = z
  .strictObject({
    id: ID.describe('Of the account: API keys say by it who made them.'),
    email: z.string(),
    role: z.enum(ASSIGNABLE_ROLES),
    joined_at: TIME,
  })
  .meta({ id: 'TeamMember', description: 'A member of the team besides its owner.' });

const INVITE = {
  id: EXAMPLE_ID,
  email: 'lin@example.com',
  role: 'member',
  status: 'pending',
  created_at: EXAMPLE_TIME,
  expires_at: '2026-11-27T12:00:00.000Z',
} as const;
const MEMBER = {
  id: EXAMPLE_USER_ID,
  email: 'lin@example.com',
  role: 'admin',
  joined_at: EXAMPLE_TIME,
} as const;

/** The team of a workspace: members, roles, invitations, seats (references 2.6, 3.2, 3.4 and 4.3, decision 46). */
export const teamRouteRows = {
  listMembers: {
    method: 'GET',
    path: '/team/members',
    summary: 'List the members of the team',
    description: 'The owner is not in it: who that is follows from who made the account.',
    access: member('endpoint.view'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The members.', pageSchema(teamMember), { items: [MEMBER], next_cursor: null }) },
  },
  leaveTeam: {
    method: 'DELETE',
    path: '/team/members/me',
    summary: 'Leave the team',
    description: 'For everybody but the owner; ends the same things as being removed.',
    access: member('endpoint.view'),
    answers: { 204: empty('Whoever asked is a member no more.') },
  },
  changeMember: {
    method: 'PATCH',
    path: '/team/members/{id}',
    summary: 'Give a member another role',
    description: 'Ends the sessions of the member, and their access tokens for this workspace.',
    access: member('member.change_role'),
    body: body(newRole, { role: 'admin' }),
    answers: { 200: json('The member.', teamMember, MEMBER) },
  },
  removeMember: {
    method: 'DELETE',
    path: '/team/members/{id}',
    summary: 'Take a member out of the team',
    description:
      'Ends their sessions, their access tokens for this workspace, the API keys that they made here and what these have open, all at once.',
    access: member('member.remove'),
    answers: { 204: empty('They are a member no more.') },
  },
  inviteMember: {
    method: 'POST',
    path: '/team/invite',
    summary: 'Invite somebody by mail',
    access: member('member.invite'),
    body: body(newInvite, { email: 'lin@example.com', role: 'member' }),
    answers: { 201: json('The mail is on its way.', invite, INVITE) },
    refusals: ['seat_limit_reached', 'already_member', 'already_invited', 'rate_limited'],
  },
  resendInvite: {
    method: 'POST',
    path: '/team/invite/{id}/resend',
    summary: 'Send an invitation again',
    description: 'Its seven days begin anew; the link of the mail before works no more.',
    access: member('member.invite'),
    answers: { 200: json('The mail is on its way.', invite, INVITE) },
    refusals: ['seat_limit_reached', 'already_member', 'already_invited', 'rate_limited'],
  },
  listInvites: {
    method: 'GET',
    path: '/team/invites',
    summary: 'List the invitations that wait for an answer',
    description: 'Those that have expired are among them.',
    access: member('member.invite'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The invitations.', pageSchema(invite), { items: [INVITE], next_cursor: null }) },
  },
  withdrawInvite: {
    method: 'DELETE',
    path: '/team/invites/{id}',
    summary: 'Withdraw an invitation',
    access: member('member.invite'),
    answers: { 204: empty('Its link works no more, and its seat is free.') },
  },
} as const satisfies Routes;

const JOIN = {
  access: OPEN,
  query: 'ignored',
  refusesOn: 'page',
} as const;
const PAGE = media('text/html', 'A page.');
const CLOSED = ['link_used', 'link_expired', 'link_withdrawn', 'rate_limited'] as const;

/** The link of an invitation (reference 3.2, decision 34). */
export const joinRouteRows = {
  showInvitation: {
    ...JOIN,
    method: 'GET',
    path: '/join/{token}',
    summary: 'Show the page of an invitation',
    description: 'Decides nothing. Says who invites, and to which team.',
    answers: { 200: PAGE },
    refusals: CLOSED,
  },
  acceptInvitation: {
    ...JOIN,
    method: 'POST',
    path: '/join/{token}',
    summary: 'Join a team, signed in as who was invited',
    answers: { 200: PAGE, 401: PAGE },
    refusals: [...CLOSED, 'forbidden', 'already_member', 'seat_limit_reached'],
  },
  signInToJoin: {
    ...JOIN,
    method: 'POST',
    path: '/join/{token}/sign-in',
    summary: 'Ask for a sign-in link on the way to a team, in a browser',
    description: 'It goes to the invited address, and leads back to the invitation.',
    answers: { 202: PAGE },
    refusals: [...CLOSED, 'forbidden'],
  },
} as const satisfies Routes;

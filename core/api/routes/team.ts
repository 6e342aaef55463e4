import { z } from 'zod';
import { EVERYONE } from '../../team/group-roles.ts';
import { ASSIGNABLE_ROLES, INVITE_STATES } from '../../team/invite.ts';
import { byEndpoint, member, OPEN, OWNER } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { email, flag, ID, oneOf, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const newInvite = z
  .strictObject({
    email: email().describe('The address that receives the invitation. Only this address can join.'),
    role: oneOf(ASSIGNABLE_ROLES).describe('The role in the team.'),
  })
  .meta({ id: 'NewInvite' });

const invite = z
  .strictObject({
    id: ID,
    email: z.string(),
    role: z.enum(ASSIGNABLE_ROLES),
    status: z
      .enum([...INVITE_STATES, 'expired'])
      .describe('A `pending` invitation occupies a seat. An expired one can be sent again.'),
    created_at: TIME,
    expires_at: TIME.describe('Seven days after the newest mail.'),
  })
  .meta({
    id: 'Invite',
    description: 'An invitation to the team. Only the mail contains the token of its link.',
  });

const newRole = z.strictObject({ role: oneOf(ASSIGNABLE_ROLES) }).meta({ id: 'NewRole' });

const secondFactor = z
  .boolean()
  .nullable()
  .describe('Whether the person has a second factor. null: the caller is not the owner or an admin.');

const teamMember = z
  .strictObject({
    id: ID.describe('The id of the account; `created_by` of API keys refers to it.'),
    email: z.string(),
    role: z.enum(ASSIGNABLE_ROLES),
    joined_at: TIME,
    second_factor: secondFactor,
    group: z
      .string()
      .nullable()
      .describe('The group at the sign-in provider that made the membership; null: a person did.'),
  })
  .meta({ id: 'TeamMember', description: 'A member of the team besides its owner.' });

const teamOwner = z
  .strictObject({ id: ID, email: z.string(), second_factor: secondFactor })
  .describe('The owner of the workspace.');

const newSecondFactorRule = z.strictObject({ required: flag() }).meta({ id: 'NewSecondFactorRule' });

const secondFactorRule = z
  .strictObject({
    required: z.boolean(),
    without: z.int().describe('How many members, including the owner, have no second factor.'),
  })
  .meta({ id: 'SecondFactorRule', description: 'Whether members of the workspace need a second factor.' });

const GROUP_ERROR = 'the name of a group of 1 to 200 characters, without line breaks';
const DOMAIN_ERROR = 'a domain in lower case, such as example.com,';
const MAX_GROUPS = 50;
const MAX_DOMAINS = 20;

const groupRole = z
  .strictObject({
    group: z
      .string({ error: GROUP_ERROR })
      .min(1, { error: GROUP_ERROR })
      .max(200, { error: GROUP_ERROR })
      .regex(/^[^\u0000-\u001f\u007f]*$/u, { error: GROUP_ERROR })
      .describe('The name as the provider sends it. `*` is everyone at the provider, and needs `domains`.'),
    role: oneOf(ASSIGNABLE_ROLES).describe('The role of its members in this workspace.'),
    domains: z
      .array(
        z
          .string({ error: DOMAIN_ERROR })
          .max(190, { error: DOMAIN_ERROR })
          .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, { error: DOMAIN_ERROR }),
      )
      .max(MAX_DOMAINS, { error: `at most ${MAX_DOMAINS} domains` })
      .default([])
      .describe(
        'Only people whose verified address is in one of these domains; empty: people with any address.',
      ),
  })
  .refine(({ group, domains }) => group !== EVERYONE || domains.length > 0, {
    error: '"*" stands for everyone at the provider: name domains',
    path: ['domains'],
  })
  .meta({ id: 'NewGroupRole' });

const groupRoles = z
  .strictObject({
    groups: z
      .array(groupRole)
      .max(MAX_GROUPS, { error: `at most ${MAX_GROUPS} groups` })
      .refine((groups) => new Set(groups.map(({ group }) => group)).size === groups.length, {
        error: 'each group once',
      }),
  })
  .meta({ id: 'NewGroupRoles' });

const shownGroupRoles = z
  .strictObject({
    groups: z.array(
      z
        .strictObject({ group: z.string(), role: z.enum(ASSIGNABLE_ROLES), domains: z.array(z.string()) })
        .meta({ id: 'GroupRole' }),
    ),
    provider: z
      .string()
      .nullable()
      .describe('The name of the sign-in provider of this hub; null: it has none.'),
    claim: z
      .string()
      .nullable()
      .describe('The claim that has the groups; null: groups of a sign-in have no roles in this workspace.'),
    by_scim: z.boolean().describe('Groups that a provider sends by SCIM may have roles in this workspace.'),
  })
  .meta({ id: 'GroupRoles' });

const GROUPS = {
  provider: 'Example',
  claim: 'groups',
  by_scim: false,
  groups: [
    { group: 'platform', role: 'admin' as const, domains: [] },
    { group: '*', role: 'viewer' as const, domains: ['example.com'] },
  ],
};

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
  second_factor: true,
  group: null,
} as const;

/**
 * The team of a workspace: members, roles, invitations, seats (references 2.6, 3.2, 3.4 and 4.3, decision 46, plans and
 * quotas).
 */
export const teamRouteRows = {
  listMembers: {
    method: 'GET',
    path: '/team/members',
    summary: 'List the members of the team',
    description: 'The items do not contain the owner, who is the creator of the account.',
    access: byEndpoint(member('endpoint.view'), 'view'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The members.', pageSchema(teamMember).extend({ owner: teamOwner }), {
        items: [MEMBER],
        next_cursor: null,
        owner: { id: EXAMPLE_ID, email: 'ada@example.com', second_factor: true },
      }),
    },
  },
  leaveTeam: {
    method: 'DELETE',
    path: '/team/members/me',
    summary: 'Leave the team',
    description: 'For all members except the owner. Has the same effects as being removed.',
    access: byEndpoint(member('endpoint.view'), 'view'),
    answers: { 204: empty('You are no longer a member.') },
  },
  changeMember: {
    method: 'PATCH',
    path: '/team/members/{id}',
    summary: 'Change the role of a member',
    description:
      'Ends the sessions of the member and their access tokens for this workspace. The role `viewer` also revokes the API keys that they created here. A membership by a group counts as made by hand from then on.',
    access: member('member.change_role'),
    body: body(newRole, { role: 'admin' }),
    answers: { 200: json('The member.', teamMember, MEMBER) },
  },
  removeMember: {
    method: 'DELETE',
    path: '/team/members/{id}',
    summary: 'Remove a member from the team',
    description:
      'Also ends, in one step, their sessions, their access tokens for this workspace, the API keys that they created here, and the open connections of all of these.',
    access: member('member.remove'),
    answers: { 204: empty('The member is removed.') },
  },
  showSecondFactorRule: {
    method: 'GET',
    path: '/team/second-factor',
    summary: 'Show whether members need a second factor',
    access: member('second_factor.demand'),
    answers: { 200: json('The rule.', secondFactorRule, { required: true, without: 2 }) },
  },
  setSecondFactorRule: {
    method: 'PUT',
    path: '/team/second-factor',
    summary: 'Set whether members need a second factor',
    description:
      'Members without one can then do nothing in the workspace, with sessions, access tokens, API keys or AI clients, until they switch it on. Service accounts and agents are not affected. The person who demands a second factor, and the owner, need one first. The change is in effect at every hub when the answer arrives.',
    access: { kind: 'member', permission: 'second_factor.demand', credentials: ['session'] },
    body: body(newSecondFactorRule, { required: true }),
    answers: { 200: json('The rule.', secondFactorRule, { required: true, without: 2 }) },
  },
  showGroupRoles: {
    method: 'GET',
    path: '/team/groups',
    summary: 'Show which groups at the sign-in provider have roles',
    access: OWNER,
    answers: { 200: json('The groups.', shownGroupRoles, GROUPS) },
  },
  setGroupRoles: {
    method: 'PUT',
    path: '/team/groups',
    summary: 'Set which groups at the sign-in provider have roles',
    description:
      'Replaces the list. The hub applies it at each sign-in at the provider. A person gets the strongest role of their groups, and no group makes an owner. Members by a group that has left the list are removed at once; members by hand stay.',
    access: OWNER,
    body: body(groupRoles, { groups: GROUPS.groups }),
    answers: { 200: json('The groups.', shownGroupRoles, GROUPS) },
  },
  inviteMember: {
    method: 'POST',
    path: '/team/invite',
    summary: 'Invite a person by mail',
    access: member('member.invite'),
    body: body(newInvite, { email: 'lin@example.com', role: 'member' }),
    answers: { 201: json('The invitation. Its mail is being sent.', invite, INVITE) },
    refusals: ['seat_limit_reached', 'already_member', 'already_invited', 'rate_limited'],
  },
  resendInvite: {
    method: 'POST',
    path: '/team/invite/{id}/resend',
    summary: 'Send an invitation again',
    description: 'The seven days start again, and the link of the previous mail no longer works.',
    access: member('member.invite'),
    answers: { 200: json('The invitation. Its mail is being sent.', invite, INVITE) },
    refusals: ['seat_limit_reached', 'already_member', 'already_invited', 'rate_limited'],
  },
  listInvites: {
    method: 'GET',
    path: '/team/invites',
    summary: 'List open invitations',
    description: 'The list includes expired invitations.',
    access: member('member.invite'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The invitations.', pageSchema(invite), { items: [INVITE], next_cursor: null }) },
  },
  withdrawInvite: {
    method: 'DELETE',
    path: '/team/invites/{id}',
    summary: 'Withdraw an invitation',
    access: member('member.invite'),
    answers: { 204: empty('The link no longer works, and the seat is free.') },
  },
} as const satisfies Routes;

const JOIN = {
  access: OPEN,
  query: 'ignored',
  refusesOn: 'page',
} as const;
const PAGE = media('text/html', 'A page.');
const CLOSED = ['link_used', 'link_expired', 'link_withdrawn', 'rate_limited'] as const;

/** The link of an invitation (reference 3.2, decision 34, links that act). */
export const joinRouteRows = {
  showInvitation: {
    ...JOIN,
    method: 'GET',
    path: '/join/{token}',
    summary: 'Show the page of an invitation',
    description: 'Opening the page decides nothing. The page names the team and who invites.',
    answers: { 200: PAGE },
    refusals: CLOSED,
  },
  acceptInvitation: {
    ...JOIN,
    method: 'POST',
    path: '/join/{token}',
    summary: 'Join a team, signed in with the invited address',
    description:
      'An invited address without an account gets one, and a session. Opening the link in a mail proves the mailbox.',
    answers: {
      200: PAGE,
      303: empty('The account has a second factor: redirects to the page that asks for it.'),
      401: PAGE,
    },
    refusals: [...CLOSED, 'forbidden', 'already_member', 'seat_limit_reached'],
  },
  signInToJoin: {
    ...JOIN,
    method: 'POST',
    path: '/join/{token}/sign-in',
    summary: 'Request a sign-in link that leads to a team, in a browser',
    description: 'The invited address receives the link, which leads back to the invitation.',
    answers: { 202: PAGE },
    refusals: [...CLOSED, 'forbidden'],
  },
} as const satisfies Routes;

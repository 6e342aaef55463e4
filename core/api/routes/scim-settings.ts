import { z } from 'zod';
import { OWNER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { optionalBody } from '../contract/body.ts';
import { oneOf, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME } from './examples.ts';

/** The roles that people in no group with a role may get. An admin is made by a group, or by hand. */
const DEFAULT_ROLES = ['member', 'viewer'] as const;

const shown = z
  .strictObject({
    is_allowed: z.boolean().describe('Whether the operator of the hub lets this workspace be provisioned.'),
    url: z.string().describe('The address for the provider.'),
    token: z
      .strictObject({
        last4: z.string(),
        default_role: z.enum(DEFAULT_ROLES).describe('The role of people in no group with a role.'),
        created_at: TIME,
        last_used_at: TIME.nullable().describe('To the minute; null: the provider has not connected yet.'),
      })
      .nullable()
      .describe('The token of the provider; null: there is none.'),
    users: z.int().describe('The number of users that the provider has sent.'),
    members: z.int().describe('Those of them who are members of the workspace.'),
    groups: z.array(z.string()).describe('The names of the groups that the provider has sent; at most 200.'),
  })
  .meta({ id: 'Provisioning', description: 'How a provider sends users and groups by SCIM.' });

const SHOWN = {
  is_allowed: true,
  url: 'https://hub.example.com/scim/v2',
  token: { last4: 'x7Qd', default_role: 'member', created_at: EXAMPLE_TIME, last_used_at: null },
  users: 0,
  members: 0,
  groups: [],
} satisfies z.input<typeof shown>;

const newToken = z
  .strictObject({
    default_role: oneOf(DEFAULT_ROLES)
      .default('member')
      .describe('The role of people in no group with a role.'),
  })
  .meta({ id: 'NewScimToken' });

const madeToken = z
  .strictObject({
    token: z.string().describe('The token in plain. It is shown only now.'),
    last4: z.string(),
    default_role: z.enum(DEFAULT_ROLES),
    created_at: TIME,
  })
  .meta({ id: 'MadeScimToken' });

/** The provider of a workspace, for its owner (decision 91, provisioning by SCIM). */
export const scimSettingsRouteRows = {
  showProvisioning: {
    method: 'GET',
    path: '/team/scim',
    summary: 'Show how a provider sends users and groups',
    access: OWNER,
    answers: { 200: json('What is set, and what the provider has sent.', shown, SHOWN) },
  },
  makeScimToken: {
    method: 'POST',
    path: '/team/scim/token',
    summary: 'Create the token of the provider',
    description: 'A workspace has one token. A new one ends the one before.',
    access: OWNER,
    body: optionalBody(newToken, { default_role: 'member' }),
    answers: {
      201: json('The token.', madeToken, {
        token: 'svc_scim_…',
        last4: 'x7Qd',
        default_role: 'member',
        created_at: EXAMPLE_TIME,
      }),
    },
  },
  removeScimToken: {
    method: 'DELETE',
    path: '/team/scim/token',
    summary: 'Remove the token of the provider',
    description: 'Its users stay members of the workspace.',
    access: OWNER,
    answers: { 204: empty('The provider can no longer connect.') },
    refusals: ['not_found'],
  },
} as const satisfies Routes;

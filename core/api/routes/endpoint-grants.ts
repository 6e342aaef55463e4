import { z } from 'zod';
import {
  ENDPOINT_ACCESS,
  ENDPOINT_ACTIONS,
  GRANT_PATTERN,
  GRANTEE_KINDS,
  MAX_ENDPOINT_GRANTS,
  MAX_GRANT_PATTERNS,
} from '../../workspace/endpoint-rights.ts';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, line, oneOf, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const ACCESS =
  '`all`: members and viewers have the endpoints that their role gives, and grants add to it. `by_grants`: they have only those ' +
  'of grants. Owners and admins always have all.';
const GRANTEE =
  'The id of a member or service account. With `group`: the name of a group of the sign-in provider; the grant is for the members ' +
  'who are in it.';
const PATTERNS = 'Slugs, where `*` stands for any characters, or `tag:` and such a tag.';

const newGrant = z
  .strictObject({
    grantee_kind: oneOf(GRANTEE_KINDS),
    grantee: line('the grantee').describe(GRANTEE),
    endpoints: z
      .array(z.string().regex(GRANT_PATTERN, { error: 'a slug, a pattern such as "deploy-*", or "tag:…"' }), {
        error: 'a list of patterns',
      })
      .min(1, { error: 'at least one pattern' })
      .max(MAX_GRANT_PATTERNS, { error: `at most ${MAX_GRANT_PATTERNS} patterns` })
      .describe(PATTERNS),
    can: z
      .array(oneOf(ENDPOINT_ACTIONS), { error: 'a list of actions' })
      .min(1, { error: 'at least one action' })
      .max(ENDPOINT_ACTIONS.length, { error: 'each action once' })
      .describe('What the grantee may do with them. Each action includes `view`.'),
  })
  .meta({ id: 'NewEndpointGrant' });

const grant = z
  .strictObject({
    id: ID,
    grantee_kind: z.enum(GRANTEE_KINDS),
    grantee: z.string().describe(GRANTEE),
    name: z
      .string()
      .nullable()
      .describe(
        'The address of the member, or the name of the account or group; null: it is not there any more.',
      ),
    endpoints: z.array(z.string()).describe(PATTERNS),
    can: z.array(z.enum(ENDPOINT_ACTIONS)),
    created_by: ID.describe('The member who made the grant. It does not end with their membership.'),
    created_at: TIME,
  })
  .meta({ id: 'EndpointGrant', description: 'Rights on endpoints, beside a role.' });

const newAccess = z
  .strictObject({ access: oneOf(ENDPOINT_ACCESS).describe(ACCESS) })
  .meta({ id: 'NewEndpointAccess' });
const access = z
  .strictObject({ access: z.enum(ENDPOINT_ACCESS).describe(ACCESS) })
  .meta({ id: 'EndpointAccess' });

const holder = z
  .strictObject({
    kind: z.enum(['member', 'service_account']),
    id: ID,
    name: z.string().describe('The address of the member, or the name of the account.'),
    role: z.string(),
    can: z.array(z.enum(ENDPOINT_ACTIONS)),
  })
  .meta({ id: 'EndpointHolder', description: 'A member or service account with rights on an endpoint.' });

const right = z
  .strictObject({ endpoint: z.string(), can: z.array(z.enum(ENDPOINT_ACTIONS)) })
  .meta({ id: 'EndpointRight', description: 'What a member or service account may do with an endpoint.' });

const EXAMPLE: z.output<typeof grant> = {
  id: EXAMPLE_ID,
  grantee_kind: 'member',
  grantee: EXAMPLE_USER_ID,
  name: 'lin@example.com',
  endpoints: ['deploy-*', 'tag:reports'],
  can: ['run'],
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
};

/** Owner and admins decide about rights, as about roles. */
const MANAGER = member('member.change_role');

/** Grants on endpoints (decision 87, rights per endpoint). */
export const endpointGrantRouteRows = {
  listEndpointGrants: {
    method: 'GET',
    path: '/team/endpoint-grants',
    summary: 'List grants on endpoints',
    access: MANAGER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The grants.', pageSchema(grant), { items: [EXAMPLE], next_cursor: null }),
    },
  },
  makeEndpointGrant: {
    method: 'POST',
    path: '/team/endpoint-grants',
    summary: 'Grant rights on endpoints',
    description: `It counts from the next call on. A workspace has at most ${MAX_ENDPOINT_GRANTS} grants.`,
    access: MANAGER,
    body: body(newGrant, {
      grantee_kind: 'group',
      grantee: 'platform',
      endpoints: ['deploy-*', 'tag:reports'],
      can: ['run'],
    }),
    answers: { 201: json('The new grant.', grant, EXAMPLE) },
    refusals: ['invalid_argument'],
  },
  deleteEndpointGrant: {
    method: 'DELETE',
    path: '/team/endpoint-grants/{id}',
    summary: 'Withdraw a grant on endpoints',
    description: 'It counts from the next call on, at every hub. Streams that need the grant end.',
    access: MANAGER,
    answers: { 204: empty('The grant is withdrawn.') },
  },
  showEndpointAccess: {
    method: 'GET',
    path: '/team/endpoint-access',
    summary: 'Show whether members have all endpoints',
    access: MANAGER,
    answers: { 200: json('The access.', access, { access: 'all' }) },
  },
  setEndpointAccess: {
    method: 'PUT',
    path: '/team/endpoint-access',
    summary: 'Change whether members have all endpoints',
    description: 'It counts from the next call on, at every hub. Streams that are not allowed any more end.',
    access: MANAGER,
    body: body(newAccess, { access: 'by_grants' }),
    answers: { 200: json('The new access.', access, { access: 'by_grants' }) },
  },
  listEndpointRights: {
    method: 'GET',
    path: '/team/endpoint-rights/{id}',
    summary: 'List what a member or service account may do',
    description: 'Lists the endpoints that they may at least view, by their role and their grants together.',
    access: MANAGER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The endpoints.', pageSchema(right), {
        items: [{ endpoint: 'deploy-web', can: ['view', 'run'] }],
        next_cursor: null,
      }),
    },
  },
  listEndpointHolders: {
    method: 'GET',
    path: '/endpoints/{name}/holders',
    summary: 'List who may use an endpoint',
    description:
      'Lists the members and the service accounts that may at least view it, by their roles and grants.',
    access: MANAGER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The members and service accounts.', pageSchema(holder), {
        items: [
          {
            kind: 'member',
            id: EXAMPLE_USER_ID,
            name: 'lin@example.com',
            role: 'member',
            can: ['view', 'run', 'approve'],
          },
        ],
        next_cursor: null,
      }),
    },
  },
} as const satisfies Routes;

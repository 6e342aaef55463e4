import { z } from 'zod';
import { byEndpoint, USER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { optionalBody } from '../contract/body.ts';
import { givenTime, ID, line, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const session = z
  .strictObject({
    id: ID,
    browser: z.string().nullable().describe('The `User-Agent` of the browser when it signed in.'),
    address: z
      .string()
      .nullable()
      .describe(
        'The address from which the browser signed in, as trusted proxies report it; null: not known.',
      ),
    created_at: TIME,
    last_used_at: TIME.describe('When the session was last used, to the minute.'),
    expires_at: TIME.describe('The latest end. Three days without use end the session earlier.'),
    current: z.boolean().describe('This request uses this session.'),
  })
  .meta({ id: 'Session', description: 'A browser that is signed in.' });

const newToken = z
  .strictObject({
    name: line('a name').optional().describe('A label for people.'),
    expires_at: givenTime()
      .optional()
      .describe('When the token expires, at most a year from now. Default: in 30 days.'),
  })
  .meta({ id: 'NewPersonalToken' });

const personalToken = z
  .strictObject({
    id: ID,
    name: z.string().nullable(),
    last4: z.string().describe('The last four characters of the token.'),
    workspace: z
      .string()
      .nullable()
      .describe(
        'The username of the workspace that the token is bound to; null: the workspace has none yet.',
      ),
    created_at: TIME,
    last_used_at: TIME.nullable().describe('When the token was last used, to the minute; null: never.'),
    expires_at: TIME,
  })
  .meta({ id: 'PersonalToken', description: 'A token with which a program acts for a member.' });

const madeToken = personalToken
  .extend({
    access_token: z.string().describe('For `Authorization: Bearer`. It is shown only in this answer.'),
  })
  .meta({ id: 'MadePersonalToken' });

const TOKEN = {
  id: EXAMPLE_ID,
  name: 'backup script',
  last4: 'k3Zu',
  workspace: 'ada',
  created_at: EXAMPLE_TIME,
  last_used_at: null,
  expires_at: '2026-12-20T12:00:00.000Z',
};

/** Sessions of browsers and access tokens of programs (decision 44, sign-in). */
export const sessionRouteRows = {
  listSessions: {
    method: 'GET',
    path: '/auth/sessions',
    summary: 'List the browsers that are signed in',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The sessions.', pageSchema(session), {
        items: [
          {
            id: EXAMPLE_ID,
            browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
            address: '192.0.2.7',
            created_at: EXAMPLE_TIME,
            last_used_at: EXAMPLE_TIME,
            expires_at: '2026-12-04T12:00:00.000Z',
            current: true,
          },
        ],
        next_cursor: null,
      }),
    },
  },
  endSession: {
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    summary: 'Sign out one browser',
    access: USER,
    answers: { 204: empty('The browser is signed out.') },
  },
  endOtherSessions: {
    method: 'POST',
    path: '/auth/sessions/end-others',
    summary: 'Sign out all other browsers',
    description:
      'Ends every session of the person except the one of this request. Access tokens keep working.',
    access: { kind: 'user', credentials: ['session'] },
    answers: { 204: empty('The other sessions have ended.') },
  },
  signOutEverywhere: {
    method: 'POST',
    path: '/auth/logout/everywhere',
    summary: 'Sign out everywhere',
    description: 'Ends all sessions and all access tokens of the member, including the one of this request.',
    access: USER,
    answers: { 204: empty('All sessions and access tokens have ended.') },
  },
  makePersonalToken: {
    method: 'POST',
    path: '/tokens',
    summary: 'Create an access token with a session',
    description: 'The token is bound to the workspace of the request and has the role of its creator there.',
    access: byEndpoint({ kind: 'member', permission: 'endpoint.view', credentials: ['session'] }, 'view'),
    body: optionalBody(newToken, { name: 'backup script' }),
    answers: {
      201: json('The new token. It works at once.', madeToken, {
        ...TOKEN,
        access_token: 'svc_pat_1yJ8…k3Zu',
      }),
    },
    refusals: ['invalid_argument'],
  },
  listPersonalTokens: {
    method: 'GET',
    path: '/tokens',
    summary: 'List access tokens',
    description: 'Lists the valid tokens of the member in all workspaces.',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The tokens.', pageSchema(personalToken), { items: [TOKEN], next_cursor: null }) },
  },
  revokePersonalToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Revoke an access token',
    access: USER,
    answers: { 204: empty('The token is revoked.') },
  },
} as const satisfies Routes;

import { z } from 'zod';
import { USER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { optionalBody } from '../contract/body.ts';
import { givenTime, ID, line, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const session = z
  .strictObject({
    id: ID,
    browser: z.string().nullable().describe('What the browser called itself when it signed in.'),
    created_at: TIME,
    last_used_at: TIME.describe('To the minute.'),
    expires_at: TIME.describe('At the latest; three days without use end it before.'),
    current: z.boolean().describe('It is the one of this request.'),
  })
  .meta({ id: 'Session', description: 'A browser that is signed in.' });

const newToken = z
  .strictObject({
    name: line('a name').optional().describe('What it is for, shown to people.'),
    expires_at: givenTime()
      .optional()
      .describe('From when it works no more: in at most a year; without it in 30 days.'),
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
      .describe('The username of the workspace that it is bound to; null until that has one.'),
    created_at: TIME,
    last_used_at: TIME.nullable().describe('To the minute; null: never.'),
    expires_at: TIME,
  })
  .meta({ id: 'PersonalToken', description: 'What a program acts with for a member.' });

const madeToken = personalToken
  .extend({ access_token: z.string().describe('For `Authorization: Bearer`; shown only here.') })
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

/** What somebody is signed in with: browsers, and programs (decision 44). */
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
    answers: { 204: empty('It is signed out.') },
  },
  signOutEverywhere: {
    method: 'POST',
    path: '/auth/logout/everywhere',
    summary: 'Sign out everywhere',
    description: 'Ends all sessions and all access tokens of whoever asks, those of this request included.',
    access: USER,
    answers: { 204: empty('Nothing of it works any more.') },
  },
  makePersonalToken: {
    method: 'POST',
    path: '/tokens',
    summary: 'Make an access token with a session',
    description: 'It is bound to the workspace of the request, and has the role of its maker there.',
    access: { kind: 'member', permission: 'endpoint.view', credentials: ['session'] },
    body: optionalBody(newToken, { name: 'backup script' }),
    answers: {
      201: json('It works from now on.', madeToken, { ...TOKEN, access_token: 'svc_pat_1yJ8…k3Zu' }),
    },
    refusals: ['invalid_argument'],
  },
  listPersonalTokens: {
    method: 'GET',
    path: '/tokens',
    summary: 'List access tokens',
    description: 'All of whoever asks, in every workspace, as long as they work.',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The tokens.', pageSchema(personalToken), { items: [TOKEN], next_cursor: null }) },
  },
  revokePersonalToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Revoke an access token',
    access: USER,
    answers: { 204: empty('It works no more.') },
  },
} as const satisfies Routes;

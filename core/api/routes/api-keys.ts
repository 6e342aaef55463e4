import { z } from 'zod';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { givenTime, ID, line, PAGE_QUERY, pageOf, slug, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const MOST_ENDPOINTS = 1_000;

const newApiKey = z
  .strictObject({
    name: line('a name').describe('What it is for, shown to people.'),
    endpoints: z
      .array(slug(), { error: 'a list of slugs' })
      .max(MOST_ENDPOINTS, { error: `at most ${MOST_ENDPOINTS} slugs` })
      .optional()
      .describe('The only endpoints that it may call; without it: all of the workspace.'),
    expires_at: givenTime().optional().describe('From when it works no more; without it: never.'),
  })
  .meta({ id: 'NewApiKey' });

const apiKey = z
  .strictObject({
    id: ID,
    name: z.string(),
    last4: z.string().describe('The last four characters of the token.'),
    endpoints: z.array(z.string()).nullable().describe('The only ones that it may call; null: all.'),
    created_by: ID.describe('The member who made it; it ends with their membership.'),
    created_at: TIME,
    expires_at: TIME.nullable(),
    revoked_at: TIME.nullable(),
  })
  .meta({ id: 'ApiKey', description: 'What an endpoint is called with.' });

const madeApiKey = apiKey
  .extend({ token: z.string().describe('The key itself, shown only here.') })
  .meta({ id: 'MadeApiKey' });

const EXAMPLE = {
  id: EXAMPLE_ID,
  name: 'nightly build',
  last4: 'x7Qe',
  endpoints: ['deploy'],
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
  expires_at: null,
  revoked_at: null,
};

/** API keys: every member has their own, owner and admins see all (reference 5). */
export const apiKeyRoutes = {
  makeApiKey: {
    method: 'POST',
    path: '/api-keys',
    summary: 'Make an API key',
    access: member('api_key.manage_own'),
    body: body(newApiKey, { name: 'nightly build', endpoints: ['deploy'] }),
    answers: { 201: json('It works from now on.', madeApiKey, { ...EXAMPLE, token: 'svc_sk_4fK…x7Qe' }) },
  },
  listApiKeys: {
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    description: 'Members see those that they made, owner and admins all.',
    access: member('api_key.manage_own'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The keys.', pageOf(apiKey), { items: [EXAMPLE], next_cursor: null }) },
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke an API key',
    access: member('api_key.manage_own'),
    answers: { 204: empty('It works no more.') },
  },
} as const satisfies Routes;

import { z } from 'zod';
import { byEndpoint, member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { givenTime, ID, line, PAGE_QUERY, pageSchema, slug, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const MAX_ENDPOINTS = 1_000;

const newApiKey = z
  .strictObject({
    name: line('a name').describe('A label for people.'),
    endpoints: z
      .array(slug(), { error: 'a list of slugs' })
      .max(MAX_ENDPOINTS, { error: `at most ${MAX_ENDPOINTS} slugs` })
      .optional()
      .describe('The only endpoints that the key may call. Without it: all of the workspace.'),
    expires_at: givenTime().optional().describe('When the key expires. Without it: never.'),
  })
  .meta({ id: 'NewApiKey' });

const apiKey = z
  .strictObject({
    id: ID,
    name: z.string(),
    last4: z.string().describe('The last four characters of the token.'),
    endpoints: z
      .array(z.string())
      .nullable()
      .describe('The only endpoints that the key may call; null: all.'),
    created_by: ID.describe('The member who created the key. It ends with their membership.'),
    created_at: TIME,
    expires_at: TIME.nullable(),
    revoked_at: TIME.nullable(),
    last_used_at: TIME.nullable().describe('When the key was last used, to the hour; null: never.'),
    previous: z
      .strictObject({ last4: z.string(), works_until: TIME })
      .nullable()
      .describe('The previous token, while it still works.'),
  })
  .meta({ id: 'ApiKey', description: 'A key that calls endpoints.' });

const madeApiKey = apiKey
  .extend({ token: z.string().describe('The token of the key. It is shown only in this answer.') })
  .meta({ id: 'MadeApiKey' });

const DAY_SEC = 86_400;
const MAX_OVERLAP_SEC = 30 * DAY_SEC;
const overlapError = `whole seconds from 0 to ${MAX_OVERLAP_SEC}`;

const rotation = z
  .strictObject({
    overlap_s: z
      .int({ error: overlapError })
      .min(0, { error: overlapError })
      .max(MAX_OVERLAP_SEC, { error: overlapError })
      .default(DAY_SEC)
      .describe('For how many seconds the previous token still works.'),
  })
  .meta({ id: 'KeyRotation' });

const EXAMPLE = {
  id: EXAMPLE_ID,
  name: 'nightly build',
  last4: 'x7Qe',
  endpoints: ['deploy'],
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
  expires_at: null,
  revoked_at: null,
  last_used_at: EXAMPLE_TIME,
  previous: null,
};

/** API keys: members have their own; owner and admins see all (reference 5). */
export const apiKeyRouteRows = {
  makeApiKey: {
    method: 'POST',
    path: '/api-keys',
    summary: 'Create an API key',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    body: body(newApiKey, { name: 'nightly build', endpoints: ['deploy'] }),
    answers: {
      201: json('The new key. It works at once.', madeApiKey, { ...EXAMPLE, token: 'svc_sk_4fK…x7Qe' }),
    },
  },
  listApiKeys: {
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    description: 'Members see the keys that they created. Owner and admins see all.',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    query: z.strictObject(PAGE_QUERY),
    answers: { 200: json('The keys.', pageSchema(apiKey), { items: [EXAMPLE], next_cursor: null }) },
  },
  rotateApiKey: {
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    summary: 'Rotate the token of an API key',
    description:
      'The key keeps its scope and expiry. The previous token works until the overlap ends or until the next rotation. Only the ' +
      'member who created the key can rotate it.',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    body: optionalBody(rotation, { overlap_s: 3_600 }),
    answers: {
      200: json('The key with its new token.', madeApiKey, {
        ...EXAMPLE,
        previous: { last4: 'x7Qe', works_until: EXAMPLE_TIME },
        last4: 'm2Bd',
        token: 'svc_sk_9tR…m2Bd',
      }),
    },
    refusals: ['key_revoked', 'forbidden'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke an API key',
    access: byEndpoint(member('api_key.manage_own'), 'none'),
    answers: { 204: empty('The key is revoked.') },
  },
} as const satisfies Routes;

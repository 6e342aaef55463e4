import { z } from 'zod';
import { MAX_KEYS, MAX_SERVICE_ACCOUNTS } from '../../service-account/service-account.ts';
import { ASSIGNABLE_ROLES } from '../../team/invite.ts';
import { member } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { givenTime, ID, line, oneOf, PAGE_QUERY, pageSchema, slug, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const MAX_ENDPOINTS = 1_000;

const newServiceAccount = z
  .strictObject({
    name: line('a name').describe('A label for people. No two accounts that work have the same.'),
    role: oneOf(ASSIGNABLE_ROLES).describe('What its keys may do, as far as a service account may do it.'),
  })
  .meta({ id: 'NewServiceAccount' });

const newKey = z
  .strictObject({
    name: line('a name').describe('A label for people.'),
    endpoints: z
      .array(slug(), { error: 'a list of slugs' })
      .min(1, { error: 'at least one slug' })
      .max(MAX_ENDPOINTS, { error: `at most ${MAX_ENDPOINTS} slugs` })
      .optional()
      .describe(
        'The only endpoints that the key may call; it may then do nothing else. Without it: all that the role may.',
      ),
    expires_at: givenTime().optional().describe('When the key expires. Without it: never.'),
  })
  .meta({ id: 'NewServiceAccountKey' });

const key = z
  .strictObject({
    id: ID,
    name: z.string(),
    last4: z.string().describe('The last four characters of the token.'),
    endpoints: z
      .array(z.string())
      .nullable()
      .describe('The only endpoints that the key may call; null: all, or none if the role is viewer.'),
    created_by: ID.describe('The member who created the key. The key does not end with their membership.'),
    created_at: TIME,
    expires_at: TIME.nullable(),
    last_used_at: TIME.nullable().describe('When the key was last used, to the hour; null: never.'),
  })
  .meta({
    id: 'ServiceAccountKey',
    description: 'A key of a service account. It calls endpoints and the API.',
  });

const madeKey = key
  .extend({ token: z.string().describe('The token of the key. It is shown only in this answer.') })
  .meta({ id: 'MadeServiceAccountKey' });

const serviceAccount = z
  .strictObject({
    id: ID,
    name: z.string(),
    role: z.enum(ASSIGNABLE_ROLES),
    created_by: ID.describe('The member who created it. It does not end with their membership.'),
    created_at: TIME,
    disabled_at: TIME.nullable().describe('When it was disabled; null: it works.'),
    keys: z.array(key).describe('Its keys that were not revoked.'),
  })
  .meta({ id: 'ServiceAccount', description: 'A program with a role in the workspace.' });

const KEY = {
  id: EXAMPLE_ID,
  name: 'GitHub',
  last4: 'x7Qe',
  endpoints: null,
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
  expires_at: null,
  last_used_at: EXAMPLE_TIME,
};
const ACCOUNT = {
  id: EXAMPLE_ID,
  name: 'deployments',
  role: 'admin',
  created_by: EXAMPLE_USER_ID,
  created_at: EXAMPLE_TIME,
  disabled_at: null,
} as const;

/** Only a session makes credentials that outlive their maker, so that no program gives itself one. */
const WITH_SESSION = {
  kind: 'member',
  permission: 'service_account.manage',
  credentials: ['session'],
} as const;

/** Service accounts: owner and admins make, list and disable them (decision 81, service accounts). */
export const serviceAccountRouteRows = {
  makeServiceAccount: {
    method: 'POST',
    path: '/service-accounts',
    summary: 'Create a service account with a session',
    description: `A workspace has at most ${MAX_SERVICE_ACCOUNTS} that work. It takes no seat.`,
    access: WITH_SESSION,
    body: body(newServiceAccount, { name: 'deployments', role: 'admin' }),
    answers: {
      201: json('The new service account. It has no key yet.', serviceAccount, { ...ACCOUNT, keys: [] }),
    },
    refusals: ['invalid_argument'],
  },
  listServiceAccounts: {
    method: 'GET',
    path: '/service-accounts',
    summary: 'List service accounts',
    access: member('service_account.manage'),
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The service accounts.', pageSchema(serviceAccount), {
        items: [{ ...ACCOUNT, keys: [KEY] }],
        next_cursor: null,
      }),
    },
  },
  disableServiceAccount: {
    method: 'DELETE',
    path: '/service-accounts/{id}',
    summary: 'Disable a service account',
    description:
      'Its keys are revoked and their open streams end. It stays in the list, and cannot be enabled again.',
    access: member('service_account.manage'),
    answers: { 204: empty('The service account is disabled.') },
  },
  makeServiceAccountKey: {
    method: 'POST',
    path: '/service-accounts/{id}/keys',
    summary: 'Create a key of a service account with a session',
    description: `A service account has at most ${MAX_KEYS}. To replace a key, create another and revoke the first.`,
    access: WITH_SESSION,
    body: body(newKey, { name: 'GitHub' }),
    answers: {
      201: json('The new key. It works at once.', madeKey, {
        ...KEY,
        last_used_at: null,
        token: 'svc_sk_4fK…x7Qe',
      }),
    },
    refusals: ['invalid_argument'],
  },
  revokeServiceAccountKey: {
    method: 'DELETE',
    path: '/service-account-keys/{id}',
    summary: 'Revoke a key of a service account',
    access: member('service_account.manage'),
    answers: { 204: empty('The key is revoked.') },
  },
} as const satisfies Routes;

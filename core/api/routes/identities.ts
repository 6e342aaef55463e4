import { z } from 'zod';
import { OPEN, USER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { ID, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const identity = z
  .strictObject({
    id: ID,
    issuer: z.string().describe('The address of the provider.'),
    email: z.string().nullable().describe('The address that the provider gave at the last sign-in.'),
    workspace: z
      .string()
      .nullable()
      .describe(
        'The workspace whose provider it is, and for which alone it signs in; null: that of the hub.',
      ),
    created_at: TIME,
    last_used_at: TIME,
  })
  .meta({ id: 'LinkedIdentity', description: 'A person at an OpenID provider who may sign in as you.' });

const identities = pageSchema(identity).extend({
  provider: z.string().nullable().describe('The name of the provider of this hub; null: it has none.'),
});

const started = z
  .strictObject({ url: z.url().describe('The page of the provider, for the same browser.') })
  .meta({ id: 'StartedLink' });

const SIGN_IN = { access: OPEN, query: 'ignored', refusesOn: 'page', method: 'GET' } as const;

/** Sign-in at an OpenID provider, and linked identities (decision 71, single sign-on). */
export const identityRouteRows = {
  startProviderSignIn: {
    ...SIGN_IN,
    path: '/login/oidc',
    summary: 'Sign in at the OpenID provider, in a browser',
    description: '`?to=` has the path of the dashboard to open after the sign-in.',
    answers: { 303: empty('Redirects to the provider, and sets a cookie for the return.') },
    refusals: ['not_found', 'rate_limited', 'unavailable'],
  },
  finishProviderSignIn: {
    ...SIGN_IN,
    path: '/login/oidc/callback',
    summary: 'Return from the OpenID provider',
    description:
      'The redirect URI to register at the provider. It works once, within 10 minutes, in the browser that began.',
    answers: {
      303: empty(
        'Redirects to the dashboard, or back to the page that asked for the sign-in, and sets the session cookie. After linking: to the settings.',
      ),
    },
    refusals: [
      'not_found',
      'unavailable',
      'unauthorized',
      'forbidden',
      'invalid_argument',
      'link_used',
      'link_expired',
    ],
  },
  listIdentities: {
    method: 'GET',
    path: '/auth/identities',
    summary: 'List linked sign-ins',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json('The linked sign-ins of the person.', identities, {
        items: [
          {
            id: EXAMPLE_ID,
            issuer: 'https://login.example.com',
            email: 'ada@example.com',
            workspace: null,
            created_at: EXAMPLE_TIME,
            last_used_at: EXAMPLE_TIME,
          },
        ],
        next_cursor: null,
        provider: 'Example',
      }),
    },
  },
  linkIdentity: {
    method: 'POST',
    path: '/auth/identities',
    summary: 'Begin to link a sign-in of the OpenID provider',
    description:
      'The browser then opens `url`. After the sign-in there, the identity is linked when the provider has verified the same address as that of the account.',
    access: { kind: 'user', credentials: ['session'] },
    answers: {
      200: json('Where to sign in. A cookie is set for the return.', started, {
        url: 'https://login.example.com/authorize?client_id=svc',
      }),
    },
    refusals: ['not_found', 'unavailable'],
  },
  unlinkIdentity: {
    method: 'DELETE',
    path: '/auth/identities/{id}',
    summary: 'Unlink a sign-in',
    description:
      'The other sessions that began with it end. The person signs in with a link by mail from then on.',
    access: { kind: 'user', credentials: ['session'] },
    answers: { 204: empty('The sign-in is unlinked.') },
    refusals: ['not_found'],
  },
} as const satisfies Routes;

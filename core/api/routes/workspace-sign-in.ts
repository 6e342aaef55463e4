import { z } from 'zod';
import { OPEN, OWNER } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME } from './examples.ts';

/** One line of text; the error names what is accepted. */
function line(maxChars: number, error: string) {
  return z
    .string({ error })
    .min(1, { error })
    .max(maxChars, { error })
    .regex(/^[^\u0000-\u001f\u007f]*$/u, { error });
}

const ISSUER = line(500, 'the address of the provider, which begins with https://,').describe(
  'The issuer, exactly as `/.well-known/openid-configuration` there writes it.',
);
const SCOPES_ERROR = 'scopes with spaces between them, one of them openid,';
const CLAIM = line(200, 'the name of a claim, or a path such as realm_access.roles,');

const newProvider = z
  .strictObject({
    issuer: ISSUER,
    client_id: line(500, 'the id of the application at the provider').describe('The id of the application.'),
    client_secret: line(2_000, 'the secret of the application, or null for none')
      .nullable()
      .optional()
      .describe(
        'Absent: the present one, if issuer and client id stay. Null: none, and PKCE alone protects.',
      ),
    name: line(60, 'a name of at most 60 characters').describe('The name on the button.'),
    scopes: line(500, SCOPES_ERROR)
      .refine((scopes) => scopes.split(' ').includes('openid'), { error: SCOPES_ERROR })
      .default('openid email profile')
      .describe('What the hub asks for.'),
    groups_claim: CLAIM.nullable()
      .default(null)
      .describe('The claim with the groups of a person; null: groups have no roles.'),
    required: z
      .boolean({ error: 'true or false' })
      .default(false)
      .describe('Members must sign in at the provider to use this workspace. The owner never has to.'),
  })
  .meta({ id: 'NewSignInProvider' });

const provider = z
  .strictObject({
    issuer: z.string(),
    client_id: z.string(),
    has_secret: z.boolean().describe('The secret itself is never shown.'),
    name: z.string(),
    scopes: z.string(),
    groups_claim: z.string().nullable(),
    required: z.boolean(),
    updated_at: TIME,
  })
  .meta({ id: 'SignInProvider' });

const shownProvider = z
  .strictObject({
    provider: provider.nullable().describe('Null: the workspace has none of its own.'),
    redirect_uri: z
      .string()
      .nullable()
      .describe('To be registered at the provider; null: the workspace has no username yet.'),
    logout_uri: z
      .string()
      .nullable()
      .describe('The back-channel logout address to be registered at the provider; null: as above.'),
    sign_in_url: z.string().nullable().describe('Where members sign in.'),
  })
  .meta({ id: 'ShownSignInProvider' });

const facts = z
  .strictObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    userinfo_endpoint: z.string().nullable(),
    scopes: z.array(z.string()).describe('The scopes that the provider offers; empty: it does not say.'),
    warnings: z.array(z.string()).describe('What may not work, in sentences.'),
  })
  .meta({ id: 'SignInProviderTest' });

const PROVIDER = {
  issuer: 'https://login.example.com',
  client_id: 'svc',
  has_secret: true,
  name: 'Example',
  scopes: 'openid email profile',
  groups_claim: 'groups',
  required: false,
  updated_at: EXAMPLE_TIME,
};
const SHOWN = {
  provider: PROVIDER,
  redirect_uri: 'https://svc.example.com/login/workspace/acme/callback',
  logout_uri: 'https://svc.example.com/login/workspace/acme/logout',
  sign_in_url: 'https://svc.example.com/login/workspace/acme',
};

const BY_SESSION = { ...OWNER, credentials: ['session'] } as const;
const PAGE = { access: OPEN, query: 'ignored', refusesOn: 'page', method: 'GET' } as const;
const RETURN_REFUSALS = [
  'not_found',
  'unavailable',
  'unauthorized',
  'forbidden',
  'invalid_argument',
  'link_used',
  'link_expired',
] as const;

/** The sign-in providers of workspaces (decision 92, providers of workspaces). */
export const workspaceSignInRouteRows = {
  showSignInProvider: {
    method: 'GET',
    path: '/workspace/sign-in-provider',
    summary: 'Show the sign-in provider of the workspace',
    access: OWNER,
    answers: { 200: json('The provider.', shownProvider, SHOWN) },
  },
  setSignInProvider: {
    method: 'PUT',
    path: '/workspace/sign-in-provider',
    summary: 'Name the sign-in provider of the workspace',
    description:
      'The hub reads the description of the provider before it stores anything. Another issuer or client id ends the sessions that came from the provider before. With `required`, access tokens of members who are not owner end.',
    access: BY_SESSION,
    body: body(newProvider, {
      issuer: 'https://login.example.com',
      client_id: 'svc',
      client_secret: 'the secret of the application',
      name: 'Example',
      groups_claim: 'groups',
      required: false,
    }),
    answers: { 200: json('The provider is in use.', shownProvider, SHOWN) },
    refusals: ['invalid_argument', 'version_conflict'],
  },
  removeSignInProvider: {
    method: 'DELETE',
    path: '/workspace/sign-in-provider',
    summary: 'Remove the sign-in provider of the workspace',
    description:
      'The sessions that came from it end, and the links of people with it. Members by a group become members by hand.',
    access: BY_SESSION,
    answers: { 204: empty('The provider is removed.') },
    refusals: ['not_found'],
  },
  testSignInProvider: {
    method: 'POST',
    path: '/workspace/sign-in-provider/test',
    summary: 'Read the description of a sign-in provider',
    description: 'Stores nothing. The refusal says why the provider cannot be used.',
    access: BY_SESSION,
    body: body(z.strictObject({ issuer: ISSUER }), { issuer: 'https://login.example.com' }),
    answers: {
      200: json('What the provider says about itself.', facts, {
        issuer: 'https://login.example.com',
        authorization_endpoint: 'https://login.example.com/authorize',
        token_endpoint: 'https://login.example.com/token',
        userinfo_endpoint: 'https://login.example.com/userinfo',
        scopes: ['openid', 'email', 'profile', 'groups'],
        warnings: [],
      }),
    },
    refusals: ['invalid_argument', 'rate_limited'],
  },
  chooseWorkspaceSignIn: {
    ...PAGE,
    path: '/login/workspace',
    summary: 'Choose the workspace at whose provider to sign in, in a browser',
    description:
      '`?name=` has the username of the workspace, `?to=` the path of the dashboard to open later.',
    answers: { 200: media('text/html', 'A page without scripts.') },
    refusals: ['not_found', 'username_gone'],
  },
  startWorkspaceSignIn: {
    ...PAGE,
    path: '/login/workspace/{username}',
    summary: 'Sign in at the provider of a workspace, in a browser',
    description: '`?to=` has the path of the dashboard to open after the sign-in.',
    answers: {
      200: media(
        'text/html',
        'A page without scripts with a link here, for visitors whom another site sent.',
      ),
      303: empty('Redirects to the provider, and sets a cookie for the return.'),
    },
    refusals: ['not_found', 'rate_limited', 'unavailable', 'username_gone'],
  },
  finishWorkspaceSignIn: {
    ...PAGE,
    path: '/login/workspace/{username}/callback',
    summary: 'Return from the provider of a workspace',
    description:
      'The redirect URI to register there. It works once, within 10 minutes, in the browser that began.',
    answers: {
      303: empty(
        'Sets a session cookie for this workspace and redirects to the dashboard. A person who is not linked to an account is redirected to the page that links them.',
      ),
    },
    refusals: RETURN_REFUSALS,
  },
  showWorkspaceLink: {
    ...PAGE,
    path: '/login/workspace/{username}/link',
    summary: 'The page that links a person at the provider to their account',
    answers: { 200: media('text/html', 'A page without scripts.') },
    refusals: ['not_found', 'link_expired'],
  },
  linkWorkspaceSignIn: {
    method: 'POST',
    path: '/login/workspace/{username}/link',
    summary: 'Link the person at the provider to the signed-in account',
    access: OPEN,
    refusesOn: 'page',
    answers: { 200: media('text/html', 'The person is linked, and can sign in at the provider.') },
    refusals: ['not_found', 'unauthorized', 'forbidden', 'link_expired', 'link_used'],
  },
} as const satisfies Routes;

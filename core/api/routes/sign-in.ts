import { z } from 'zod';
import { EVERY_SESSION, OPEN } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { email } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const signInRequest = z
  .strictObject({ email: email().describe('The address that receives the link.') })
  .meta({ id: 'SignInRequest' });

const exchange = z
  .strictObject({
    token: z
      .string({ error: 'the token of a sign-in link' })
      .max(200, { error: 'the token of a sign-in link' })
      .optional()
      .describe('The last segment of the link in the mail. Without it, the session is exchanged.'),
  })
  .meta({ id: 'TokenExchange' });

const message = z
  .strictObject({ message: z.string().describe('A message for people.') })
  .meta({ id: 'Message' });

const accessToken = z
  .strictObject({
    access_token: z.string().describe('For `Authorization: Bearer`. It is shown only in this answer.'),
    expires_in: z.int().describe('Seconds.'),
  })
  .meta({ id: 'AccessToken' });

const LINK = {
  path: '/login/{token}',
  access: OPEN,
  query: 'ignored',
  refusals: ['link_used', 'link_expired', 'rate_limited'],
  refusesOn: 'page',
} as const;

const SIGN_IN_PAGE = { path: '/login', access: OPEN, query: 'ignored', refusesOn: 'page' } as const;

/** Sign-up, sign-in and out (reference 1, decision 34, links that act, and decision 44, sign-in). */
export const signInRouteRows = {
  requestMagicLink: {
    method: 'POST',
    path: '/auth/magic-link',
    summary: 'Request a sign-in link by mail',
    description: 'The answer does not reveal whether the address has an account.',
    access: OPEN,
    body: body(signInRequest, { email: 'ada@example.com' }),
    answers: {
      202: json('A link is on its way if the address may sign in.', message, {
        message: 'if the address may sign in, a link is on its way to it',
      }),
    },
    refusals: ['rate_limited'],
  },
  showSignIn: {
    ...SIGN_IN_PAGE,
    method: 'GET',
    summary: 'Show the sign-in page',
    description: '`?to=` has the path of the dashboard to open after the sign-in.',
    answers: { 200: media('text/html', 'A page that asks for an e-mail address.') },
  },
  requestSignIn: {
    ...SIGN_IN_PAGE,
    method: 'POST',
    summary: 'Request a sign-in link, in a browser',
    description: 'Takes the form of the page: `email` and `to`.',
    answers: { 202: media('text/html', 'A page that asks to check the mail.') },
    refusals: ['forbidden', 'unsupported_media_type', 'payload_too_large', 'rate_limited'],
  },
  showMagicLink: {
    ...LINK,
    method: 'GET',
    summary: 'Show the page of a sign-in link',
    description:
      'Opening the page does not use the link, so programs that check the links in mails do no harm.',
    answers: { 200: media('text/html', 'A page with a button that signs in.') },
  },
  confirmMagicLink: {
    ...LINK,
    method: 'POST',
    summary: 'Sign in with a link, in a browser',
    refusals: [...LINK.refusals, 'forbidden'],
    answers: {
      303: empty(
        'Redirects to the dashboard, or back to the page that asked for the sign-in, and sets the session cookie.',
      ),
    },
  },
  makeAccessToken: {
    method: 'POST',
    path: '/auth/token',
    summary: 'Exchange a sign-in link or a session for an access token',
    description: 'The token is bound to the workspace that `X-Svc-Workspace` names, or else to your own.',
    access: OPEN,
    body: optionalBody(exchange, { token: 'MDE5YTlmM2UtN2IxYy03YzNl.c2lnbmF0dXJl' }),
    answers: {
      200: json('A token that works for 12 hours.', accessToken, {
        access_token: 'svc_pat_1yJ8…',
        expires_in: 43_200,
      }),
    },
    refusals: [
      'unauthorized',
      'forbidden',
      'second_factor_required',
      'not_found',
      'link_used',
      'link_expired',
      'rate_limited',
    ],
  },
  signOut: {
    method: 'POST',
    path: '/auth/logout',
    summary: 'End the session or the access token of this request',
    access: EVERY_SESSION,
    answers: { 204: empty('The session or token has ended.') },
  },
} as const satisfies Routes;

import { z } from 'zod';
import { OPEN } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { email, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME } from './examples.ts';

const change = z
  .strictObject({
    new_email: z.string(),
    asked_at: TIME,
    expires_at: TIME.describe('One day after the request.'),
    old_confirmed: z.boolean().describe('The link in the mail to the present address was confirmed.'),
    new_confirmed: z.boolean().describe('The link in the mail to the new address was confirmed.'),
  })
  .meta({ id: 'EmailChange' });

const state = z
  .strictObject({
    email: z.string().describe('The present address of the account.'),
    change: change.nullable().describe('null: no change is pending.'),
  })
  .meta({ id: 'AccountEmail', description: 'The address of the account, and its pending change.' });

const newChange = z.strictObject({ email: email() }).meta({ id: 'NewEmailChange' });

const PENDING: z.output<typeof state> = {
  email: 'ada@example.com',
  change: {
    new_email: 'ada@example.org',
    asked_at: EXAMPLE_TIME,
    expires_at: '2026-11-21T12:00:00.000Z',
    old_confirmed: false,
    new_confirmed: false,
  },
};

/** Only a person in a browser changes the address by which they sign in. */
const SESSION = { kind: 'user', credentials: ['session'] } as const;
const LINK = { access: OPEN, query: 'ignored', refusesOn: 'page' } as const;
const PAGE = media('text/html', 'A page.');
const CLOSED = ['link_used', 'link_expired', 'link_withdrawn'] as const;

/** The change of the mail address of an account (decision 101, change of address). */
export const emailChangeRouteRows = {
  showEmailChange: {
    method: 'GET',
    path: '/auth/email-change',
    summary: 'Show your address and its pending change',
    access: SESSION,
    answers: { 200: json('The address and the change.', state, PENDING) },
  },
  requestEmailChange: {
    method: 'POST',
    path: '/auth/email-change',
    summary: 'Ask to change your address',
    description:
      'Both addresses get a mail with a link, and both confirm within a day. Until then nothing changes. A new request replaces the pending one. The answer does not say whether another account has the address.',
    access: SESSION,
    body: body(newChange, { email: 'ada@example.org' }),
    answers: { 202: json('The links are on their way.', state, PENDING) },
    refusals: ['invalid_argument', 'forbidden', 'rate_limited', 'stale'],
  },
  withdrawEmailChange: {
    method: 'DELETE',
    path: '/auth/email-change',
    summary: 'Withdraw the change of your address',
    access: SESSION,
    answers: { 204: empty('No change is pending.') },
    refusals: ['not_found'],
  },
  showEmailLink: {
    ...LINK,
    method: 'GET',
    path: '/auth/email-change/{token}',
    summary: 'Show the page of a link that confirms a change of address',
    description: 'Opening the page changes nothing.',
    answers: { 200: PAGE, 401: PAGE },
    refusals: [...CLOSED, 'forbidden'],
  },
  answerEmailLink: {
    ...LINK,
    method: 'POST',
    path: '/auth/email-change/{token}',
    summary: 'Confirm or stop the change of an address, in a browser',
    description:
      'The form has `decision=confirm` or, from the present address, `decision=stop`. The link to the new address needs a session of the account.',
    answers: { 200: PAGE, 401: PAGE, 409: PAGE },
    refusals: [...CLOSED, 'forbidden', 'invalid_argument', 'rate_limited'],
  },
} as const satisfies Routes;

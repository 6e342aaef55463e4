import { z } from 'zod';
import { MAX_TYPED_CODE, RECOVERY_CODES } from '../../second-factor/recovery-code.ts';
import { OPEN } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { line, TIME } from '../contract/fields.ts';
import {
  PASSKEY_ANSWER_EXAMPLE,
  passkeyAnswer,
  passkeyQuestion,
  QUESTION_EXAMPLE,
} from '../contract/passkey-schemas.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME } from './examples.ts';

const secondFactor = z
  .strictObject({
    on: z.boolean(),
    since: TIME.nullable().describe('null: the factor is off.'),
    recovery_codes_left: z.int().describe('How many recovery codes are left.'),
    passkeys: z
      .int()
      .describe('How many passkeys the person has. Switching the factor on needs at least one.'),
    supported: z.boolean().describe('Whether browsers accept passkeys at the URL of this hub.'),
  })
  .meta({ id: 'SecondFactor', description: 'The second factor of an account.' });

const byPasskey = z.strictObject({ passkey: passkeyAnswer }).meta({ id: 'ProvedByPasskey' });

const proof = z
  .strictObject({
    passkey: passkeyAnswer.optional(),
    recovery_code: line('a recovery code', MAX_TYPED_CODE).optional().describe('The code is used up.'),
  })
  .meta({ id: 'SecondFactorProof', description: 'Either the answer of a passkey or a recovery code.' });

const codes = z
  .strictObject({
    recovery_codes: z
      .array(z.string())
      .describe('Each code works once instead of a passkey. Only this answer shows the codes.'),
  })
  .meta({ id: 'RecoveryCodes' });

const CODES = { recovery_codes: ['7k3m-q0vd-x2hs-9rtw', '2b9c-4dfe-8ghj-0kmn'] };

const WITH_SESSION = { access: { kind: 'user', credentials: ['session'] } } as const;
const PAGE = { path: '/login/second-factor', access: OPEN, query: 'ignored', refusesOn: 'page' } as const;

/** Proof of the second factor at sign-in, and the second factor of an account (decision 100, second factor). */
export const secondFactorRouteRows = {
  askSecondFactor: {
    ...PAGE,
    method: 'GET',
    summary: 'Show the page that asks for the second factor',
    description:
      'A sign-in redirects here when the account has a second factor. The page needs the cookie of that sign-in.',
    answers: {
      200: media('text/html', 'A page with a button for a passkey and a form for a recovery code.'),
    },
    refusals: ['link_expired'],
  },
  confirmSecondFactor: {
    ...PAGE,
    method: 'POST',
    summary: 'Prove the second factor, in a browser',
    description:
      'Takes the form of the page: `code`, a recovery code, or `id`, `client_data`, `authenticator_data`, `signature` and `user_handle` of a passkey, all base64url.',
    answers: {
      303: empty(
        'Redirects to the dashboard, or back to the page that asked for the sign-in, and sets the session cookie.',
      ),
      401: media('text/html', 'The page again: the passkey or the code is not valid.'),
    },
    refusals: [
      'not_found',
      'forbidden',
      'link_used',
      'link_expired',
      'unsupported_media_type',
      'payload_too_large',
      'rate_limited',
    ],
  },
  beginSecondFactorSignIn: {
    method: 'POST',
    path: '/login/second-factor/challenge',
    summary: 'Begin to prove the second factor with a passkey',
    description: 'The challenge works once, within 5 minutes, for the sign-in of this browser.',
    access: OPEN,
    answers: {
      200: json('The challenge. A cookie is set for the answer.', passkeyQuestion, QUESTION_EXAMPLE),
    },
    refusals: ['not_found', 'forbidden', 'link_expired', 'rate_limited'],
  },
  showSecondFactor: {
    method: 'GET',
    path: '/auth/second-factor',
    summary: 'Show your second factor',
    ...WITH_SESSION,
    answers: {
      200: json('The second factor.', secondFactor, {
        on: true,
        since: EXAMPLE_TIME,
        recovery_codes_left: RECOVERY_CODES,
        passkeys: 1,
        supported: true,
      }),
    },
  },
  beginSecondFactor: {
    method: 'POST',
    path: '/auth/second-factor/challenge',
    summary: 'Begin to confirm a change of your second factor with a passkey',
    description: 'The challenge works once, within 5 minutes, for this session.',
    ...WITH_SESSION,
    answers: {
      200: json('The challenge. A cookie is set for the answer.', passkeyQuestion, QUESTION_EXAMPLE),
    },
    refusals: ['not_found'],
  },
  switchSecondFactorOn: {
    method: 'PUT',
    path: '/auth/second-factor',
    summary: 'Switch your second factor on',
    description:
      'From then on a sign-in with a link, a provider or an invitation also asks for a passkey or a recovery code. Ends your other sessions. The hub sends a mail to the person.',
    ...WITH_SESSION,
    body: body(byPasskey, { passkey: PASSKEY_ANSWER_EXAMPLE }),
    answers: { 200: json('The recovery codes.', codes, CODES) },
    refusals: ['not_found', 'forbidden', 'link_used', 'link_expired', 'rate_limited'],
  },
  switchSecondFactorOff: {
    method: 'POST',
    path: '/auth/second-factor/off',
    summary: 'Switch your second factor off',
    description:
      'The owner of a workspace that demands a second factor cannot do this. The hub sends a mail to the person.',
    ...WITH_SESSION,
    body: body(proof, { recovery_code: '7k3m-q0vd-x2hs-9rtw' }),
    answers: { 204: empty('The second factor is off, and the recovery codes no longer work.') },
    refusals: ['not_found', 'forbidden', 'link_used', 'link_expired', 'rate_limited'],
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/auth/second-factor/recovery-codes',
    summary: 'Create new recovery codes',
    description: 'The old codes no longer work. The hub sends a mail to the person.',
    ...WITH_SESSION,
    body: body(proof, { recovery_code: '7k3m-q0vd-x2hs-9rtw' }),
    answers: { 200: json('The recovery codes.', codes, CODES) },
    refusals: ['not_found', 'forbidden', 'link_used', 'link_expired', 'rate_limited'],
  },
} as const satisfies Routes;

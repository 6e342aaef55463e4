import { z } from 'zod';
import { MAX_PASSKEYS } from '../../passkey/relying-party.ts';
import { OPEN, USER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, line, PAGE_QUERY, pageSchema, TIME } from '../contract/fields.ts';
import { base64url, CHALLENGE_EXAMPLE } from '../contract/passkey-schemas.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const passkey = z
  .strictObject({
    id: ID,
    name: z.string(),
    backed_up: z.boolean().describe('The passkey is copied to other devices of the person.'),
    created_at: TIME,
    last_used_at: TIME.nullable().describe('When a sign-in used it; null: never.'),
  })
  .meta({ id: 'Passkey', description: 'A passkey with which a person signs in.' });

const PASSKEY = {
  id: EXAMPLE_ID,
  name: 'Laptop',
  backed_up: true,
  created_at: EXAMPLE_TIME,
  last_used_at: null,
};

const name = line('a name').describe('A label for people.');

const newPasskey = z
  .strictObject({
    name,
    id: base64url(1400).describe('The id of the credential.'),
    client_data: base64url(4000).describe('`clientDataJSON` of the response.'),
    attestation: base64url(16_000).describe('`attestationObject` of the response.'),
  })
  .meta({ id: 'NewPasskey', description: 'What `navigator.credentials.create` gives; bytes in base64url.' });

const rename = z.strictObject({ name }).meta({ id: 'RenamedPasskey' });

const challenge = z.string().describe('What the passkey signs, base64url.');
const rpId = z.string().describe('The relying party ID.');

const begunSignIn = z
  .strictObject({ challenge, rp_id: rpId })
  .meta({ id: 'PasskeyChallenge', description: 'For `navigator.credentials.get`.' });

const begun = z
  .strictObject({
    challenge,
    rp_id: rpId,
    user: z.strictObject({ id: z.string().describe('The user handle, base64url.'), name: z.string() }),
    exclude: z.array(z.string()).describe('The credentials that the person has, base64url.'),
  })
  .meta({ id: 'NewPasskeyChallenge', description: 'For `navigator.credentials.create`.' });

const WITH_SESSION = { access: { kind: 'user', credentials: ['session'] } } as const;

/** Passkeys (decision 86, passkeys). */
export const passkeyRouteRows = {
  beginPasskeySignIn: {
    method: 'POST',
    path: '/login/passkey/challenge',
    summary: 'Begin a sign-in with a passkey',
    description: 'The challenge works once, within 5 minutes, in the browser that began.',
    access: OPEN,
    answers: {
      200: json('The challenge. A cookie is set for the answer.', begunSignIn, {
        challenge: CHALLENGE_EXAMPLE,
        rp_id: 'svc.example.com',
      }),
    },
    refusals: ['not_found', 'forbidden', 'rate_limited'],
  },
  signInWithPasskey: {
    method: 'POST',
    path: '/login/passkey',
    summary: 'Sign in with a passkey, in a browser',
    description:
      'Takes the form of the sign-in page: `id`, `client_data`, `authenticator_data`, `signature`, `user_handle`, all base64url, and `to`.',
    access: OPEN,
    query: 'ignored',
    answers: {
      303: empty(
        'Redirects to the dashboard, or back to the page that asked for the sign-in, and sets the session cookie.',
      ),
    },
    refusals: [
      'not_found',
      'unauthorized',
      'forbidden',
      'link_used',
      'link_expired',
      'unsupported_media_type',
      'payload_too_large',
      'rate_limited',
    ],
    refusesOn: 'page',
  },
  listPasskeys: {
    method: 'GET',
    path: '/auth/passkeys',
    summary: 'List passkeys',
    access: USER,
    query: z.strictObject(PAGE_QUERY),
    answers: {
      200: json(
        'The passkeys of the person.',
        pageSchema(passkey).extend({
          supported: z.boolean().describe('Whether browsers accept passkeys at the URL of this hub.'),
        }),
        { items: [PASSKEY], next_cursor: null, supported: true },
      ),
    },
  },
  beginPasskey: {
    method: 'POST',
    path: '/auth/passkeys/challenge',
    summary: 'Begin to add a passkey',
    description: `The sign-in must be at most 15 minutes old. A person has at most ${MAX_PASSKEYS} passkeys.`,
    ...WITH_SESSION,
    answers: {
      200: json('The challenge, which works once, within 5 minutes, for this session.', begun, {
        challenge: CHALLENGE_EXAMPLE,
        rp_id: 'svc.example.com',
        user: { id: 'MDE5Mg', name: 'ada@example.com' },
        exclude: [],
      }),
    },
    refusals: ['not_found', 'forbidden', 'limit_reached'],
  },
  addPasskey: {
    method: 'POST',
    path: '/auth/passkeys',
    summary: 'Add a passkey',
    description: 'The hub sends a mail to the person.',
    ...WITH_SESSION,
    body: body(newPasskey, { name: 'Laptop', id: 'AQID', client_data: 'e30', attestation: 'oA' }),
    answers: { 201: json('The passkey.', passkey, PASSKEY) },
    refusals: ['not_found', 'forbidden', 'limit_reached', 'link_used', 'link_expired'],
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/auth/passkeys/{id}',
    summary: 'Rename a passkey',
    ...WITH_SESSION,
    body: body(rename, { name: 'Old laptop' }),
    answers: { 200: json('The passkey.', passkey, { ...PASSKEY, name: 'Old laptop' }) },
    refusals: ['not_found'],
  },
  removePasskey: {
    method: 'DELETE',
    path: '/auth/passkeys/{id}',
    summary: 'Remove a passkey',
    description: 'Ends the other sessions that began with it. The sign-in must be at most 15 minutes old.',
    ...WITH_SESSION,
    answers: { 204: empty('The passkey is removed.') },
    refusals: ['not_found', 'forbidden'],
  },
} as const satisfies Routes;

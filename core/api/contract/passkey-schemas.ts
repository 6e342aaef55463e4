import { z } from 'zod';

/** Bytes in the form in which browsers return those of a passkey: base64url. */
export function base64url(maxLength: number) {
  const error = `base64url of at most ${maxLength} characters`;
  return z
    .string({ error })
    .regex(/^[\w-]+$/, { error })
    .max(maxLength, { error });
}

/** The answer of a passkey. */
export const passkeyAnswer = z
  .strictObject({
    id: base64url(1400).describe('The id of the credential.'),
    client_data: base64url(4000).describe('`clientDataJSON` of the response.'),
    authenticator_data: base64url(4000).describe('`authenticatorData` of the response.'),
    signature: base64url(4000).describe('`signature` of the response.'),
    user_handle: base64url(1400).optional().describe('`userHandle` of the response, if there is one.'),
  })
  .meta({ id: 'PasskeyAnswer', description: 'What `navigator.credentials.get` gives; bytes in base64url.' });

/** The challenge that a browser passes to one of the person's passkeys. */
export const passkeyQuestion = z
  .strictObject({
    challenge: z.string().describe('What the passkey signs, base64url.'),
    rp_id: z.string().describe('The relying party ID.'),
    allow: z.array(z.string()).describe('The credentials of the person, base64url.'),
  })
  .meta({ id: 'PasskeyQuestion', description: 'For `navigator.credentials.get`.' });

export const CHALLENGE_EXAMPLE = 'rd0m9hV3yPVQkHAjvJ2xk3yUXzZk0uHdTq1m7mCkN1o';
export const PASSKEY_ANSWER_EXAMPLE = {
  id: 'AQID',
  client_data: 'e30',
  authenticator_data: 'AQID',
  signature: 'AQID',
  user_handle: 'MDE5Mg',
};
export const QUESTION_EXAMPLE = { challenge: CHALLENGE_EXAMPLE, rp_id: 'svc.example.com', allow: ['AQID'] };

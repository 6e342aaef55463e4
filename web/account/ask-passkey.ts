import type { Answer } from '../api/read.ts';

/** Asks the person for one of their passkeys. Throws an error whose message is for people. */
export async function askPasskey({ challenge, rp_id, allow }: Answer<'beginSecondFactor'>) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, response } = await startAuthentication({
    optionsJSON: {
      challenge,
      rpId: rp_id,
      allowCredentials: allow.map((one) => ({ id: one, type: 'public-key' })),
      userVerification: 'required',
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    client_data: clientDataJSON,
    authenticator_data: authenticatorData,
    signature,
    ...(userHandle !== undefined && { user_handle: userHandle }),
  };
}

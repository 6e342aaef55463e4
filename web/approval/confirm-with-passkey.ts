import { api } from '../api/client.ts';

/** Asks the hub for a challenge and the person for a passkey. Throws an error for people. */
export async function confirmWithPasskey(approvalId: string) {
  const { challenge, rp_id, allow } = await api.beginApprovalPasskey({ parameters: { id: approvalId } });
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

import { isDeepStrictEqual } from 'node:util';
import { CHALLENGE_MS, type RelyingParty } from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Passkey } from './passkey-ports.ts';

/** What a challenge is for: a sign-in, or a session that adds a passkey, proves the second factor or approves a call. */
export type ChallengePurpose =
  | { readonly kind: 'sign_in' }
  | { readonly kind: 'add' | 'second_factor'; readonly sessionId: string }
  | { readonly kind: 'approve'; readonly sessionId: string; readonly approvalId: string };

export interface PasskeyChallenge {
  /** 32 random bytes, base64url. */
  readonly challenge: string;
  readonly purpose: ChallengePurpose;
  readonly startedAtMs: number;
}

const OWNER = { workspaceId: '', kind: 'sign_in', id: 'passkey' } as const;

/** A new challenge, and the same sealed for a cookie, so that any hub can take the answer. */
export function newChallenge(
  { vault, random, clock }: { readonly vault: Vault; readonly random: Random; readonly clock: Clock },
  purpose: ChallengePurpose,
): { readonly challenge: string; readonly sealed: string } {
  const challenge = Buffer.from(random.bytes(32)).toString('base64url');
  const begun: PasskeyChallenge = { challenge, purpose, startedAtMs: clock.nowMs() };
  return { challenge, sealed: Buffer.from(sealJson(vault, begun, OWNER)).toString('base64url') };
}

/** Refuses with `link_expired` a challenge that is not of this hub, is too old, or is for something else. */
export function openChallenge(
  { vault, clock }: { readonly vault: Vault; readonly clock: Clock },
  sealed: string,
  purpose: ChallengePurpose,
): PasskeyChallenge {
  const begun = openJson<PasskeyChallenge>(vault, Buffer.from(sealed, 'base64url').toString(), OWNER);
  const isFresh = begun !== undefined && clock.nowMs() - begun.startedAtMs < CHALLENGE_MS;
  if (!isFresh || !isDeepStrictEqual(begun.purpose, purpose))
    throw refuse(
      'link_expired',
      'this was not started in this browser within the last 5 minutes: start again',
    );
  return begun;
}

export interface NewCredential {
  readonly clientData: string;
  readonly attestation: string;
  readonly id: string;
}

export interface Assertion {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle: string;
}

/** The id, key and counter of a new credential. Refuses with `invalid_argument` when the library finds anything wrong. */
export async function verifyNewCredential(
  { id: rpId, origin }: RelyingParty,
  challenge: string,
  { id, clientData, attestation }: NewCredential,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'isBackedUp'>> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON: clientData, attestationObject: attestation },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw refuse('invalid_argument', `the answer of the passkey is not valid: ${reasonOf(cause)}`);
  });
  if (!verified.verified) throw refuse('invalid_argument', 'the answer of the passkey is not valid');
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    isBackedUp: credentialBackedUp ? 1 : 0,
  };
}

/** The counter after a use. Undefined: the answer does not prove the passkey, or its counter did not grow. */
export async function verifyAssertion(
  { id: rpId, origin }: RelyingParty,
  challenge: string,
  passkey: Passkey,
  { id, clientData, authenticatorData, signature, userHandle }: Assertion,
): Promise<Pick<Passkey, 'counter' | 'isBackedUp'> | undefined> {
  if (Buffer.from(userHandle, 'base64url').toString() !== passkey.userId) return undefined;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON: clientData, authenticatorData, signature, userHandle },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(() => ({ verified: false as const, authenticationInfo: undefined }));
  if (!verified || authenticationInfo === undefined) return undefined;
  const { newCounter: counter, credentialBackedUp } = authenticationInfo;
  return { counter, isBackedUp: credentialBackedUp ? 1 : 0 };
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown';
}

import type { RelyingParty } from '@svc/core/passkey/relying-party';
import { type Refusal, refuse } from '@svc/core/refusal';
import { readRecoveryCode } from '@svc/core/second-factor/recovery-code';
import type { AccessToken } from '../accounts/account-ports.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { Identities } from '../identity/store/identity-store.ts';
import { confirmWithPasskey } from '../passkeys/confirm-with-passkey.ts';
import { useChallenge } from '../passkeys/manage-passkeys.ts';
import type { Passkeys } from '../passkeys/store/passkey-store.ts';
import type { Assertion, PasskeyChallenge } from '../passkeys/verify-passkey.ts';
import type { Clock } from '../platform/world.ts';
import type { Proof } from './store/second-factor-store.ts';

export interface ProveDeps {
  readonly clock: Clock;
  /** Remembers which challenges were used. */
  readonly identities: Pick<Identities, 'useSignIn'>;
  readonly passkeys: Pick<Passkeys, 'ofUser'>;
}

/** What a person gives as their second factor. */
export type GivenFactor =
  | {
      readonly kind: 'passkey';
      readonly party: RelyingParty;
      readonly begun: PasskeyChallenge;
      readonly assertion: Assertion;
    }
  | { readonly kind: 'recovery_code'; readonly typed: string };

/**
 * The proof, which is stored with the change that it confirms. Refuses with `forbidden`, or with `link_used` for a challenge that
 * was used.
 */
export async function proofOf(
  deps: ProveDeps,
  { userId }: Pick<AccessToken, 'userId'>,
  given: GivenFactor,
): Promise<Proof> {
  if (given.kind === 'recovery_code') return proofByCode(userId, given.typed);
  const { party, begun, assertion } = given;
  await useChallenge(deps, begun);
  const used = await confirmWithPasskey(deps, party, begun, userId, assertion);
  return { kind: 'passkey', used };
}

function proofByCode(userId: string, typed: string): Proof {
  const code = readRecoveryCode(typed);
  if (code === undefined) throw wrongProof('used');
  return { kind: 'recovery_code', hash: hashRecoveryCode(userId, code) };
}

/** The hash by which the store keeps and finds a code. */
export function hashRecoveryCode(userId: string, code: string): string {
  return hashToken(`${userId} ${code}`);
}

/** The refusal of a proof that the store did not accept. */
export function wrongProof(outcome: 'changed' | 'used'): Refusal {
  return outcome === 'used'
    ? refuse('forbidden', 'this recovery code is not valid, or was used already', {
        reason: 'bad_recovery_code',
      })
    : refuse('forbidden', 'this passkey was removed, or used at the same moment: try again', {
        reason: 'bad_passkey',
      });
}

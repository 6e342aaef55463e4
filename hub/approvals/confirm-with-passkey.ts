import type { RelyingParty } from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import type { Passkeys } from '../passkeys/store/passkey-store.ts';
import { type Assertion, type PasskeyChallenge, verifyAssertion } from '../passkeys/verify-passkey.ts';
import type { Clock } from '../platform/world.ts';
import type { UsedPasskey } from './approval-ports.ts';

interface ConfirmDeps {
  readonly clock: Clock;
  readonly passkeys: Pick<Passkeys, 'ofUser'>;
}

/** The ids of the credentials with which a person can confirm an approval. Refuses a person without any with `forbidden`. */
export async function credentialsOf({ passkeys }: ConfirmDeps, userId: string): Promise<string[]> {
  const all = await passkeys.ofUser(userId);
  if (all.length === 0)
    throw refuse('forbidden', 'this approval needs a passkey, and you have none: add one in the settings', {
      reason: 'no_passkey',
    });
  return all.map(({ credentialId }) => credentialId);
}

/**
 * The use of a passkey that confirms an approval (decision 89, approval with a passkey). The challenge names approval and session,
 * and an approval is decided once, so a challenge confirms one decision.
 *
 * Throws `forbidden` when the answer does not prove a passkey of this person.
 */
export async function confirmWithPasskey(
  { clock, passkeys }: ConfirmDeps,
  party: RelyingParty,
  { challenge }: PasskeyChallenge,
  userId: string,
  assertion: Assertion,
): Promise<UsedPasskey> {
  const passkey = (await passkeys.ofUser(userId)).find(({ credentialId }) => credentialId === assertion.id);
  const verified = passkey && (await verifyAssertion(party, challenge, passkey, assertion));
  if (passkey === undefined || verified === undefined)
    throw refuse('forbidden', 'this is no passkey of yours, or its answer is not valid', {
      reason: 'bad_passkey',
    });
  return { passkey, use: { ...verified, usedAtMs: clock.nowMs() } };
}

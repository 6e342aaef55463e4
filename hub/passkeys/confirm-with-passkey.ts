import type { RelyingParty } from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import type { Clock } from '../platform/world.ts';
import type { UsedPasskey } from './passkey-ports.ts';
import type { Passkeys } from './store/passkey-store.ts';
import { type Assertion, type PasskeyChallenge, verifyAssertion } from './verify-passkey.ts';

interface ConfirmDeps {
  readonly clock: Clock;
  readonly passkeys: Pick<Passkeys, 'ofUser'>;
}

/** The answer of a passkey, as the API takes it. */
interface PasskeyAnswer {
  readonly id: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
  readonly user_handle?: string | undefined;
}

/** The answer of a passkey of this person. Authenticators may leave the user handle out when the hub has named the passkeys. */
export function assertionOf(answer: PasskeyAnswer, userId: string): Assertion {
  return {
    id: answer.id,
    clientData: answer.client_data,
    authenticatorData: answer.authenticator_data,
    signature: answer.signature,
    userHandle: answer.user_handle ?? Buffer.from(userId).toString('base64url'),
  };
}

/**
 * The use of a passkey by which a person confirms something.
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

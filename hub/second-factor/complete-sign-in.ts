import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { AccessToken, Member } from '../accounts/account-ports.ts';
import { makeToken } from '../accounts/make-tokens.ts';
import { ownMembership } from '../accounts/own-member.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Random } from '../platform/world.ts';
import { codeUsedMail } from './factor-mails.ts';
import { type GivenFactor, type ProveDeps, proofOf, wrongProof } from './prove-second-factor.ts';
import type { Proof, SecondFactors } from './store/second-factor-store.ts';

export interface CompleteSignInDeps extends ProveDeps {
  readonly accounts: Accounts;
  readonly random: Random;
  readonly secondFactors: SecondFactors;
  readonly settings: { readonly hubUrl: string };
}

/**
 * Turns a pending session into a full one, and returns its new token. A recovery code is used up in the same transaction, and
 * the person gets a mail.
 *
 * Throws `forbidden` for a wrong factor, `link_used` for a challenge that was used, and `link_expired` when the sign-in is over.
 */
export async function completeSignIn(
  deps: CompleteSignInDeps,
  pending: AccessToken,
  given: GivenFactor,
  byOf: (member: Member) => AuditSource,
): Promise<{ readonly token: string; readonly mail: OutgoingMail | undefined; readonly member: Member }> {
  const member = await memberOf(deps, pending);
  if (member === undefined) throw signInOver();
  const proof = await proofOf(deps, pending, given);
  const { token, hash, last4, createdAtMs: atMs } = makeToken(deps, 'access_token');
  const left = Math.max(0, (await deps.secondFactors.codesLeft(pending.userId)) - 1);
  const mail =
    proof.kind === 'recovery_code'
      ? codeUsedMail({ ...deps, hubUrl: deps.settings.hubUrl }, member.email, left)
      : undefined;
  const entry: AuditEntry = {
    ...byOf(member),
    workspaceId: member.workspaceId,
    atMs,
    target: { kind: 'account', id: member.userId, name: member.email },
    ...actionOf(proof, left),
  };
  const outcome = await deps.secondFactors.confirmSession(pending, { hash, last4 }, { proof, mail, entry });
  if (outcome === 'over') throw signInOver();
  if (outcome !== 'stored') throw wrongProof(outcome);
  return { token, mail, member };
}

function actionOf(proof: Proof, left: number): Pick<AuditEntry, 'action' | 'details'> {
  if (proof.kind === 'recovery_code')
    return { action: 'account.recovery_code_used', details: { for: 'sign_in', left } };
  return {
    action: 'account.signed_in',
    details: { second_factor: 'passkey', passkey: proof.used.passkey.name },
  };
}

/** The person as a member of the workspace whose provider signed them in, else of their own workspace. */
async function memberOf(
  { accounts }: Pick<CompleteSignInDeps, 'accounts'>,
  { workspaceId, userId }: AccessToken,
): Promise<Member | undefined> {
  if (workspaceId !== undefined) return await accounts.member(workspaceId, userId);
  return (await ownMembership({ accounts }, userId)).member;
}

export function signInOver() {
  return refuse('link_expired', 'this browser began no sign-in within the last 10 minutes');
}

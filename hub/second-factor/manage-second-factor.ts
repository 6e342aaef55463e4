import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditDetails, AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { RECOVERY_CODE_BYTES, RECOVERY_CODES, recoveryCodeOf } from '@svc/core/second-factor/recovery-code';
import type { AccessToken, Member } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { refuseOlderHubs } from '../cluster/refuse-older-hubs.ts';
import { sessionEnded } from '../passkeys/manage-passkeys.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Random } from '../platform/world.ts';
import { newCodesMail, resetMail, switchedOffMail, switchedOnMail } from './factor-mails.ts';
import {
  type GivenFactor,
  hashRecoveryCode,
  type ProveDeps,
  proofOf,
  wrongProof,
} from './prove-second-factor.ts';
import type { SecondFactors } from './store/second-factor-store.ts';

export interface SecondFactorDeps extends ProveDeps {
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly hubs: Pick<Hubs, 'without'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly random: Random;
  readonly secondFactors: SecondFactors;
  readonly settings: { readonly hubUrl: string };
}

/** The person who changes their own second factor, in their own workspace. */
export interface FactorOwner {
  readonly member: Member;
  readonly session: AccessToken;
  readonly by: AuditSource;
}

interface MadeCodes {
  /** In plain text, which is shown only once. */
  readonly codes: readonly string[];
  readonly mail: OutgoingMail;
}

/**
 * Switches the second factor of a person on, and makes recovery codes. Their other sessions end, because one factor began
 * them. The present one stays, because a passkey has just proved it (decision 100, second factor).
 *
 * Throws `forbidden` when the factor is on, or when the passkey is not one of theirs, and `unavailable` beside a hub that would sign them
 * in with one factor.
 */
export async function switchOn(
  deps: SecondFactorDeps,
  owner: FactorOwner,
  given: Extract<GivenFactor, { kind: 'passkey' }>,
): Promise<MadeCodes> {
  const { userId, email } = owner.member;
  await refuseOlderHubs(deps, 'secondFactor');
  const proof = await proofOf(deps, owner.member, given);
  const { codes, hashes } = newCodes(deps, userId);
  const mail = switchedOnMail(mailDeps(deps), email);
  const workspaceIds = await workspaceIdsOf(deps, userId);
  const entry = entryOf(deps, owner, 'account.second_factor_on', {});
  const outcome = await deps.secondFactors.switchOn(
    { userId, workspaceIds, mail, entry },
    { proof, hashes, sessionId: owner.session.id },
  );
  if (outcome === 'on') throw refuse('forbidden', 'your second factor is on already');
  if (outcome === 'ended') throw sessionEnded();
  if (outcome !== 'stored') throw wrongProof(outcome);
  await deps.openStreams.recheck();
  return { codes, mail };
}

/**
 * Switches the second factor off. The change is in effect at every reachable hub when this returns.
 *
 * Throws `forbidden` when the factor is off, when the proof is wrong, or when a workspace that the person owns demands one.
 */
export async function switchOff(
  deps: SecondFactorDeps,
  owner: FactorOwner,
  given: GivenFactor,
): Promise<OutgoingMail> {
  const { userId, email } = owner.member;
  const proof = await proofOf(deps, owner.member, given);
  const mail = switchedOffMail(mailDeps(deps), email);
  const workspaceIds = await workspaceIdsOf(deps, userId);
  const entry = entryOf(deps, owner, 'account.second_factor_off', { proved_by: proof.kind });
  const outcome = await deps.secondFactors.switchOff({ userId, workspaceIds, mail, entry }, proof);
  if (outcome === 'off') throw isOff();
  if (outcome === 'demanded')
    throw refuse(
      'forbidden',
      'a workspace that you own demands a second factor of its members: end that first, in its settings',
      { reason: 'demanded' },
    );
  if (outcome !== 'stored') throw wrongProof(outcome);
  await deps.openStreams.recheck();
  return mail;
}

/** Makes new recovery codes; the old ones no longer work. Throws `forbidden` when the factor is off, or the proof is wrong. */
export async function renewCodes(
  deps: SecondFactorDeps,
  owner: FactorOwner,
  given: GivenFactor,
): Promise<MadeCodes> {
  const { userId, email } = owner.member;
  const proof = await proofOf(deps, owner.member, given);
  const { codes, hashes } = newCodes(deps, userId);
  const mail = newCodesMail(mailDeps(deps), email);
  const entry = entryOf(deps, owner, 'account.recovery_codes_made', { proved_by: proof.kind });
  const outcome = await deps.secondFactors.renewCodes({ userId, mail, entry }, { proof, hashes });
  if (outcome === 'off') throw isOff();
  if (outcome !== 'stored') throw wrongProof(outcome);
  return { codes, mail };
}

/**
 * Switches the second factor of a person off for the operator, who has checked who they are. Ends their sessions and removes their
 * passkeys, because a thief who switched it on has one of each. A workspace that demands one stays
 * closed to them until they switch it on again. Throws `not_found` when it is off.
 */
export async function resetSecondFactor(
  deps: Omit<SecondFactorDeps, keyof ProveDeps | 'hubs'> & Pick<ProveDeps, 'clock'>,
  member: Member,
  by: AuditSource,
): Promise<OutgoingMail> {
  const { userId, email } = member;
  const mail = resetMail(mailDeps(deps), email);
  const workspaceIds = await workspaceIdsOf(deps, userId);
  const entry = entryOf(deps, { member, by }, 'account.second_factor_off', { proved_by: 'operator' });
  const outcome = await deps.secondFactors.reset({ userId, workspaceIds, mail, entry });
  if (outcome === 'off') throw refuse('not_found', `${email} has no second factor`);
  await deps.openStreams.recheck();
  return mail;
}

function isOff() {
  return refuse('forbidden', 'your second factor is off');
}

function newCodes({ random }: Pick<SecondFactorDeps, 'random'>, userId: string) {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    recoveryCodeOf(random.bytes(RECOVERY_CODE_BYTES)),
  );
  return { codes, hashes: codes.map((code) => hashRecoveryCode(userId, code)) };
}

async function workspaceIdsOf({ accounts }: Pick<SecondFactorDeps, 'accounts'>, userId: string) {
  return (await accounts.workspacesOf(userId)).map(({ workspace }) => workspace.id);
}

function mailDeps({ clock, random, settings }: Pick<SecondFactorDeps, 'clock' | 'random' | 'settings'>) {
  return { clock, random, hubUrl: settings.hubUrl };
}

function entryOf(
  { clock }: Pick<SecondFactorDeps, 'clock'>,
  { member: { userId, email, workspaceId }, by }: Pick<FactorOwner, 'member' | 'by'>,
  action: AuditAction,
  details: AuditDetails,
): AuditEntry {
  return {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action,
    target: { kind: 'account', id: userId, name: email },
    details,
  };
}

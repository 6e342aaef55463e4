import { hash } from 'node:crypto';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { layOutLetter } from '@svc/core/mail/letter';
import {
  CHALLENGE_MS,
  MAX_PASSKEYS,
  RECENT_SIGN_IN_MS,
  type RelyingParty,
} from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import type { AccessToken, Member } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import { refuseMemberByGroup } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Identities } from '../identity/store/identity-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { Passkey, PasskeyUse } from './passkey-ports.ts';
import type { Passkeys } from './store/passkey-store.ts';
import {
  type Assertion,
  type NewCredential,
  type PasskeyChallenge,
  verifyAssertion,
  verifyNewCredential,
} from './verify-passkey.ts';

export interface PasskeyDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** Remembers which challenges were used. */
  readonly identities: Pick<Identities, 'useSignIn'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly passkeys: Passkeys;
  readonly random: Random;
  readonly teams: Teams;
}

/** Refuses with `forbidden` a session whose sign-in is old: a stolen session must not make itself a lasting way in. */
export function refuseOldSignIn({ clock }: Pick<PasskeyDeps, 'clock'>, { createdAtMs }: AccessToken): void {
  if (clock.nowMs() - createdAtMs > RECENT_SIGN_IN_MS)
    throw refuse(
      'forbidden',
      'your sign-in is more than 15 minutes old: sign out, sign in again, and repeat this',
    );
}

export async function refuseOneTooMany(
  { passkeys }: Pick<PasskeyDeps, 'passkeys'>,
  userId: string,
): Promise<Passkey[]> {
  const all = await passkeys.ofUser(userId);
  if (all.length >= MAX_PASSKEYS) throw tooMany();
  return all;
}

export function sessionEnded() {
  return refuse('unauthorized', 'your session has ended meanwhile: sign in again');
}

function tooMany() {
  return refuse('limit_reached', `a person has at most ${MAX_PASSKEYS} passkeys`);
}

/** Uses up a challenge, on whichever hub. Refuses with `link_used` when it was used before. */
export async function useChallenge(
  { identities }: Pick<PasskeyDeps, 'identities'>,
  { challenge, startedAtMs }: PasskeyChallenge,
): Promise<void> {
  if (!(await identities.useSignIn(hash('sha256', challenge), startedAtMs + CHALLENGE_MS)))
    throw refuse('link_used', 'this was used already: start again');
}

/** Adds a passkey to the account, and mails the person. Refuses with `link_used`, `invalid_argument` or `limit_reached`. */
export async function addPasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  begun: PasskeyChallenge,
  given: NewCredential & { readonly name: string },
  owner: { readonly member: Member; readonly sessionId: string; readonly by: AuditSource },
): Promise<{ readonly passkey: Passkey; readonly mail: OutgoingMail }> {
  const { userId, email } = owner.member;
  await useChallenge(deps, begun);
  await refuseOneTooMany(deps, userId);
  const verified = await verifyNewCredential(party, begun.challenge, given);
  const createdAtMs = deps.clock.nowMs();
  const id = deps.random.uuid();
  const passkey = { ...verified, id, userId, name: given.name, createdAtMs, usedAtMs: undefined };
  const mail = addedMail(deps.random.uuid(), email, createdAtMs, party.origin);
  const entry = passkeyEntry(deps, owner, 'account.passkey_added', given.name);
  const outcome = await deps.passkeys.add(passkey, { sessionId: owner.sessionId, mail }, entry);
  if (outcome === 'ended') throw sessionEnded();
  if (outcome === 'full') throw tooMany();
  if (outcome === 'taken') throw refuse('invalid_argument', 'this passkey is registered already');
  return { passkey, mail };
}

/** The user and the passkey of a sign-in, and the use to store with the session. Every failed check gives the same refusal. */
export async function userOfPasskey(
  deps: PasskeyDeps & {
    readonly providerOfGroups: string | undefined;
    readonly operators: readonly string[];
  },
  party: RelyingParty,
  begun: PasskeyChallenge,
  assertion: Assertion,
): Promise<{
  readonly user: { readonly id: string; readonly email: string };
  readonly passkey: Passkey;
  readonly used: PasskeyUse;
}> {
  await useChallenge(deps, begun);
  const passkey = await deps.passkeys.byCredential(assertion.id);
  const verified = passkey && (await verifyAssertion(party, begun.challenge, passkey, assertion));
  const user = passkey && verified ? await deps.accounts.userById(passkey.userId) : undefined;
  if (passkey === undefined || verified === undefined || user === undefined)
    throw refuse('unauthorized', 'this passkey is not known here, or its answer is not valid');
  await refuseMemberByGroup(deps, user);
  return { user, passkey, used: { ...verified, usedAtMs: deps.clock.nowMs() } };
}

export async function renamePasskey(
  deps: PasskeyDeps,
  id: string,
  name: string,
  owner: { readonly member: Member; readonly by: AuditSource },
): Promise<Passkey> {
  const passkey = await ownPasskey(deps, id, owner.member);
  const entry = passkeyEntry(deps, owner, 'account.passkey_renamed', name);
  if (!(await deps.passkeys.rename(passkey, name, entry))) throw noPasskey();
  return { ...passkey, name };
}

/**
 * Removes a passkey, and ends the other sessions that began with it, with their streams. Refuses with `forbidden` to remove the
 * last passkey of a person with a second factor: recovery codes are for emergencies and run out.
 */
export async function removePasskey(
  deps: PasskeyDeps,
  id: string,
  session: AccessToken,
  owner: { readonly member: Member; readonly by: AuditSource },
): Promise<void> {
  const passkey = await ownPasskey(deps, id, owner.member);
  const entry = passkeyEntry(deps, owner, 'account.passkey_removed', passkey.name);
  const outcome = await deps.passkeys.remove(passkey, session.id, entry);
  if (outcome === 'last')
    throw refuse(
      'forbidden',
      'this is your last passkey, and your second factor needs one: add another passkey first, or switch the second factor off',
      { reason: 'last_passkey' },
    );
  if (outcome === 'none') throw noPasskey();
  await deps.openStreams.recheck();
}

async function ownPasskey({ passkeys }: PasskeyDeps, id: string, { userId }: Member): Promise<Passkey> {
  const passkey = (await passkeys.ofUser(userId)).find((one) => one.id === id);
  if (passkey === undefined) throw noPasskey();
  return passkey;
}

function noPasskey() {
  return refuse('not_found', 'there is no such passkey');
}

function passkeyEntry(
  { clock }: PasskeyDeps,
  { member: { userId, email, workspaceId }, by }: { readonly member: Member; readonly by: AuditSource },
  action: AuditAction,
  passkey: string,
): AuditEntry {
  return {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action,
    target: { kind: 'account', id: userId, name: email },
    details: { passkey },
  };
}

function addedMail(id: string, to: string, createdAtMs: number, origin: string): OutgoingMail {
  const letter = layOutLetter({
    subject: 'A passkey was added to your svc account',
    paragraphs: ['A passkey was added to your account. It signs in without a link by mail.'],
    action: { label: 'See your passkeys', url: `${origin}/dashboard/settings` },
    notes: ['If you did not add it, remove it there and sign out everywhere.'],
  });
  return { id, to, ...letter, createdAtMs };
}

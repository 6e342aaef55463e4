import {
  decideEmailConfirmation,
  EMAIL_CHANGE_LIFE_MS,
  EMAIL_SIDES,
  type EmailChange,
  type EmailSide,
  refuseClosedEmailChange,
} from '@svc/core/account/email-change';
import { LOCAL_OPERATOR_EMAIL } from '@svc/core/account/local-operator';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { isSameAddress } from '@svc/core/team/invite';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changedMails, newAddressMail, oldAddressMail, takenAddressMail } from './email-change-mails.ts';
import type { LinkTokens } from './link-token.ts';
import type { Accounts } from './store/account-store.ts';
import type { EmailChanges } from './store/email-changes.ts';

type EmailChangeDeps = {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly emailChanges: EmailChanges;
  readonly random: Random;
} & { readonly tokens: LinkTokens; readonly hubUrl: string };

/** A change with the address whose link was opened. */
export interface OpenedEmailLink {
  readonly change: EmailChange;
  readonly side: EmailSide;
}

/**
 * Mails a link to the present address of an account and to the new one (decision 101, change of address). Neither the answer nor
 * its time reveals whether another account has the address: the owner of that account gets a mail without a link.
 */
export async function requestEmailChange(
  deps: EmailChangeDeps,
  userId: string,
  toEmail: string,
  by: AuditSource,
): Promise<readonly OutgoingMail[]> {
  const { accounts, clock, emailChanges, random } = deps;
  const user = await accounts.userById(userId);
  if (user === undefined) throw refuse('unauthorized', 'this account was deleted');
  // The next start of `svc up` would not find the account, and would make another one.
  if (isSameAddress(user.email, LOCAL_OPERATOR_EMAIL))
    throw refuse('forbidden', 'this is the account of `svc up` on its machine, which keeps its address');
  if (isSameAddress(user.email, toEmail))
    throw refuse('invalid_argument', 'email: this is your address already');
  const holder = await accounts.userByEmail(toEmail);
  const createdAtMs = clock.nowMs();
  const change: EmailChange = {
    id: random.uuid(),
    userId,
    fromEmail: user.email,
    toEmail,
    state: 'pending',
    revision: 0,
    createdAtMs,
    expiresAtMs: createdAtMs + EMAIL_CHANGE_LIFE_MS,
    oldConfirmedAtMs: undefined,
    newConfirmedAtMs: undefined,
    closedAtMs: undefined,
  };
  const mails = [
    oldAddressMail(deps, change, urlOf(deps, change, 'old')),
    holder === undefined
      ? newAddressMail(deps, change, urlOf(deps, change, 'new'))
      : takenAddressMail(deps, change),
  ];
  const entry = await entryOf(deps, change, 'account.email_change_asked', by);
  if (!(await emailChanges.add(change, mails, entry)))
    throw refuse('stale', 'your address was changed meanwhile: reload the page');
  return mails;
}

/** Checks a link without using it. Refuses a link that is unknown or expired, and one whose change has ended. */
export async function findEmailLink(
  { clock, emailChanges, tokens }: Pick<EmailChangeDeps, 'clock' | 'emailChanges' | 'tokens'>,
  token: string,
): Promise<OpenedEmailLink> {
  const side = EMAIL_SIDES.find((one) => tokens.read(`email_${one}`, token) !== undefined);
  const id = tokens.idIn(token);
  const change = side === undefined || id === undefined ? undefined : await emailChanges.find(id);
  if (change === undefined || side === undefined) throw refuse('not_found', 'there is no such link');
  refuseClosedEmailChange(change, clock.nowMs());
  return { change, side };
}

export interface EmailConfirmation {
  /** `waits`: for the other address. `failed`: another account has the new address by now. */
  readonly outcome: 'waits' | 'changed' | 'failed';
  readonly change: EmailChange;
  readonly mails: readonly OutgoingMail[];
}

/**
 * Confirms one address. The second confirmation gives the account its new address, by compare-and-set: when both arrive at the
 * same moment, at any hub, exactly one of them does.
 */
export async function confirmEmail(
  deps: EmailChangeDeps,
  token: string,
  from: AuditOrigin,
): Promise<EmailConfirmation> {
  for (;;) {
    const { change, side } = await findEmailLink(deps, token);
    const confirmed = await tryToConfirm(deps, change, side, from);
    if (confirmed !== undefined) return { ...confirmed, change };
  }
}

/** Ends a pending change, through the link to the present address or in the settings. */
export async function stopEmailChange(
  deps: EmailChangeDeps,
  load: () => Promise<EmailChange>,
  by: (change: EmailChange) => AuditSource,
): Promise<EmailChange> {
  for (;;) {
    const change = await load();
    const nowMs = deps.clock.nowMs();
    refuseClosedEmailChange(change, nowMs);
    const entry = await entryOf(deps, change, 'account.email_change_stopped', by(change));
    const stopped = { ...change, state: 'stopped', closedAtMs: nowMs } as const;
    if (await deps.emailChanges.answer(change, stopped, [], entry)) return stopped;
  }
}

/** Undefined: another answer was first, so the caller decides again. */
async function tryToConfirm(
  deps: EmailChangeDeps,
  change: EmailChange,
  side: EmailSide,
  from: AuditOrigin,
): Promise<Omit<EmailConfirmation, 'change'> | undefined> {
  const { clock, emailChanges } = deps;
  const nowMs = clock.nowMs();
  const by = ownerOf(change, from);
  const decision = decideEmailConfirmation(change, side, nowMs);
  const confirmed = {
    ...change,
    ...(side === 'old' ? { oldConfirmedAtMs: nowMs } : { newConfirmedAtMs: nowMs }),
  };
  if (decision === 'waits') {
    const entry = await entryOf(deps, change, 'account.email_change_confirmed', by, { address: side });
    const isStored = await emailChanges.answer(change, confirmed, [], entry);
    return isStored ? { outcome: 'waits', mails: [] } : undefined;
  }
  const closed = { ...confirmed, closedAtMs: nowMs };
  const mails = changedMails(deps, change);
  const entry = await entryOf(deps, change, 'account.email_changed', by);
  switch (await emailChanges.complete(change, closed, mails, entry)) {
    case 'stored':
      return { outcome: 'changed', mails };
    case 'answered':
      return undefined;
    case 'moved':
      throw refuse('not_found', 'there is no such link');
    case 'taken':
      return failTaken(deps, change, closed, by);
  }
}

/** Another account got the address after the request. Its owner gets a mail. */
async function failTaken(
  deps: EmailChangeDeps,
  change: EmailChange,
  closed: EmailChange,
  by: AuditSource,
): Promise<Omit<EmailConfirmation, 'change'> | undefined> {
  const mails = [takenAddressMail(deps, change)];
  const entry = await entryOf(deps, change, 'account.email_change_failed', by);
  const isStored = await deps.emailChanges.answer(change, { ...closed, state: 'failed' }, mails, entry);
  return isStored ? { outcome: 'failed', mails } : undefined;
}

/** A link in a mail acts for the account whose address it changes. */
export function ownerOf({ userId, fromEmail }: EmailChange, from: AuditOrigin): AuditSource {
  return { actor: { kind: 'member', id: userId, name: fromEmail }, from };
}

/** An entry in the log of a workspace of the person, their own if they have one. */
async function entryOf(
  { accounts, clock }: Pick<EmailChangeDeps, 'accounts' | 'clock'>,
  { userId, fromEmail, toEmail }: EmailChange,
  action: AuditAction,
  by: AuditSource,
  details: { readonly address?: EmailSide } = {},
): Promise<AuditEntry> {
  const all = await accounts.workspacesOf(userId);
  const { workspace } = all.find((one) => one.workspace.ownerId === userId) ?? all[0] ?? {};
  if (workspace === undefined) throw refuse('not_found', 'this account was deleted');
  return {
    ...by,
    workspaceId: workspace.id,
    atMs: clock.nowMs(),
    action,
    target: { kind: 'account', id: userId, name: fromEmail },
    details: { to: toEmail, ...details },
  };
}

function urlOf({ tokens, hubUrl }: EmailChangeDeps, { id }: EmailChange, side: EmailSide): string {
  return `${hubUrl}/auth/email-change/${tokens.form(`email_${side}`, id)}`;
}

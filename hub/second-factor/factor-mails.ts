import { layOutLetter } from '@svc/core/mail/letter';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';

interface MailDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly hubUrl: string;
}

export function codeUsedMail(deps: MailDeps, to: string, left: number): OutgoingMail {
  return mail(deps, to, {
    subject: 'A recovery code of your svc account was used',
    text: `A recovery code was used to sign in to your account. ${left === 1 ? '1 code is' : `${left} codes are`} left.`,
  });
}

export function switchedOnMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has a second factor now',
    text: 'The second factor of your account was switched on. A sign-in now also asks for a passkey or a recovery code, and your other sessions have ended.',
    // A person who is locked out cannot sign in and change anything.
    note: 'If this was not you, ask the operator of this hub at once.',
  });
}

export function switchedOffMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has no second factor any more',
    text: 'The second factor of your account was switched off. A link by mail is enough to sign in now, and the recovery codes no longer work.',
  });
}

/** The operator has switched it off. */
export function resetMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has no second factor any more',
    text: 'The operator of this hub switched off the second factor of your account, removed your passkeys and ended your sessions. A link by mail is enough to sign in now, and the recovery codes no longer work.',
    note: 'If you did not ask for this, ask the operator of this hub. Check your access tokens, too.',
  });
}

export function newCodesMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has new recovery codes',
    text: 'New recovery codes were made for your account. The old codes no longer work.',
  });
}

interface FactorLetter {
  readonly subject: string;
  readonly text: string;
  readonly note?: string;
}

const NOT_YOU =
  'If this was not you, sign out everywhere in the settings, and check your passkeys and sessions.';

function mail(
  { clock, random, hubUrl }: MailDeps,
  to: string,
  { subject, text, note = NOT_YOU }: FactorLetter,
): OutgoingMail {
  const letter = layOutLetter({
    subject,
    paragraphs: [text],
    action: { label: 'See your account', url: `${hubUrl}/dashboard/settings` },
    notes: [note],
  });
  return { id: random.uuid(), to, ...letter, createdAtMs: clock.nowMs() };
}

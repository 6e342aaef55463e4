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
    text: `A recovery code was used to sign in to your account. You have ${left} of them left.`,
  });
}

export function switchedOnMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has a second factor now',
    text: 'The second factor of your account was switched on. A sign-in now also asks for a passkey or a recovery code, and your other sessions have ended.',
  });
}

export function switchedOffMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has no second factor any more',
    text: 'The second factor of your account was switched off. A link by mail is enough to sign in now, and the recovery codes no longer work.',
  });
}

export function newCodesMail(deps: MailDeps, to: string): OutgoingMail {
  return mail(deps, to, {
    subject: 'Your svc account has new recovery codes',
    text: 'New recovery codes were made for your account. The old codes no longer work.',
  });
}

function mail(
  { clock, random, hubUrl }: MailDeps,
  to: string,
  { subject, text }: { readonly subject: string; readonly text: string },
): OutgoingMail {
  const letter = layOutLetter({
    subject,
    paragraphs: [text],
    action: { label: 'See your account', url: `${hubUrl}/dashboard/settings` },
    notes: [
      'If this was not you, sign out everywhere in the settings, and check your passkeys and sessions.',
    ],
  });
  return { id: random.uuid(), to, ...letter, createdAtMs: clock.nowMs() };
}

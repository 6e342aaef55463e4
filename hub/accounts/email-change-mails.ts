import { EMAIL_CHANGE_LIFE_MS } from '@svc/core/account/email-change';
import { type Letter, layOutLetter } from '@svc/core/mail/letter';
import { shownAddress } from '@svc/core/text/shown-address';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';

type MailDeps = { readonly random: Random; readonly clock: Clock };

/** The old address and the new one. */
interface Addresses {
  readonly fromEmail: string;
  readonly toEmail: string;
}

const HOURS = EMAIL_CHANGE_LIFE_MS / (60 * 60 * 1000);
const LIFE = `The link works once, for ${HOURS} hours. Nothing changes until both addresses have confirmed.`;

export function oldAddressMail(deps: MailDeps, { fromEmail, toEmail }: Addresses, url: string): OutgoingMail {
  return mail(deps, fromEmail, {
    subject: 'Change of your address on svc',
    paragraphs: [
      `Your account asked to change its address from ${shownAddress(fromEmail)} to ${shownAddress(toEmail)}.`,
      'Open the link to confirm the change, or to stop it.',
    ],
    action: { label: 'Confirm or stop the change', url },
    notes: [
      LIFE,
      'If this was not you, another person is signed in to your account: stop the change, then sign in and sign out everywhere.',
    ],
  });
}

export function newAddressMail(deps: MailDeps, { fromEmail, toEmail }: Addresses, url: string): OutgoingMail {
  return mail(deps, toEmail, {
    subject: 'Confirm your new address on svc',
    paragraphs: [
      `The account of ${shownAddress(fromEmail)} on svc asked to use the address ${shownAddress(toEmail)}.`,
      `If this is your account, open the link in a browser where you are signed in to it.`,
    ],
    action: { label: 'Confirm the address', url },
    notes: [LIFE, 'If this is not your account, you can ignore this mail.'],
  });
}

/** Tells the owner of an address that another account asked for it. Only this mail reveals that the address has an account. */
export function takenAddressMail(deps: MailDeps, { toEmail }: Addresses): OutgoingMail {
  return mail(deps, toEmail, {
    subject: 'Your address was asked for on svc',
    paragraphs: [
      `Another account on svc asked to change its address to ${shownAddress(toEmail)}. Your account has this address, so the change is not possible.`,
      'Nothing has changed, and you need to do nothing.',
    ],
    notes: [
      'If the other account is yours as well: sign in to the account of this address and change its address first, or delete it.',
    ],
  });
}

/** To both addresses. */
export function changedMails(deps: MailDeps, { fromEmail, toEmail }: Addresses): readonly OutgoingMail[] {
  const changed = `The address of your account on svc was changed from ${shownAddress(fromEmail)} to ${shownAddress(toEmail)}. Both addresses confirmed it.`;
  const subject = 'The address of your account on svc was changed';
  return [
    mail(deps, fromEmail, {
      subject,
      paragraphs: [changed, 'Links to this address no longer sign you in.'],
      notes: ['If you did not confirm this, ask the operator of this hub at once.'],
    }),
    mail(deps, toEmail, { subject, paragraphs: [changed, 'Sign in with this address from now on.'] }),
  ];
}

function mail({ random, clock }: MailDeps, to: string, letter: Letter): OutgoingMail {
  return { id: random.uuid(), to, ...layOutLetter(letter), createdAtMs: clock.nowMs() };
}

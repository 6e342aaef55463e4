import { type Letter, layOutLetter } from '@svc/core/mail/letter';
import { OWNERSHIP_OFFER_LIFE_MS } from '@svc/core/team/decide-ownership';
import { type AssignableRole, INVITE_LIFE_MS, type Invite } from '@svc/core/team/invite';
import type { Team } from '@svc/core/team/team';
import { shownAddress } from '@svc/core/text/shown-address';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';

import type { InTeam } from './change-team.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A role with its article. */
export const AS_ROLE = {
  admin: 'an admin',
  member: 'a member',
  viewer: 'a viewer',
} as const satisfies Record<AssignableRole, string>;
const ROLE_MEANS = {
  admin: 'Admins run endpoints, change them, and look after agents, secrets, API keys and the team.',
  member: 'Members look at endpoints, run them, and make API keys of their own.',
  viewer: 'Viewers look at endpoints, pipelines and executions, and change nothing.',
} as const satisfies Record<AssignableRole, string>;

type MailDeps = { readonly random: Random; readonly clock: Clock };

/** The display name of a team: its username, or "the workspace of" its owner while it has none. */
export function teamName({ workspace }: Pick<InTeam, 'workspace'>, team: Team): string {
  if (workspace.username !== undefined) return workspace.username;
  const owner = team.members.find(({ role }) => role === 'owner');
  return owner === undefined ? 'a workspace' : `the workspace of ${shownAddress(owner.email)}`;
}

export function inviteMail(
  deps: MailDeps,
  invite: Invite,
  inviter: string,
  { name, url }: NamedLink,
): OutgoingMail {
  const from = shownAddress(inviter);
  return mail(deps, invite.email, {
    subject: `${from} invites you to ${name} on svc`,
    paragraphs: [
      `${from} invites you to join the team of ${name} on svc, as ${AS_ROLE[invite.role]}.`,
      ROLE_MEANS[invite.role],
    ],
    action: { label: 'See the invitation', url },
    notes: [
      `The link works once, for ${INVITE_LIFE_MS / DAY_MS} days, and only for ${shownAddress(invite.email)}. Nothing happens until you agree.`,
      `If you do not know ${from}, you can ignore this mail.`,
    ],
  });
}

interface NamedLink {
  readonly name: string;
  readonly url: string;
}

export function roleMail(
  deps: MailDeps,
  to: string,
  from: string,
  { name, role }: { readonly name: string; readonly role: AssignableRole },
): OutgoingMail {
  return mail(deps, to, {
    subject: `You are ${AS_ROLE[role]} of ${name} on svc now`,
    paragraphs: [
      `${from} has changed your role in the team of ${name}: you are ${AS_ROLE[role]} now.`,
      ROLE_MEANS[role],
    ],
    notes: [
      'You have been signed out, and your access tokens for this team have ended. Sign in again to continue.',
    ],
  });
}

export function offerMail(deps: MailDeps, to: string, from: string, { name, url }: NamedLink): OutgoingMail {
  return mail(deps, to, {
    subject: `${from} offers you the ownership of ${name} on svc`,
    paragraphs: [
      `${from} offers to make you the owner of ${name}.`,
      'The owner manages the plan, and can delete the workspace. If you accept, the owner of now becomes an admin.',
    ],
    action: { label: 'See the offer', url },
    notes: [
      `You can accept for ${OWNERSHIP_OFFER_LIFE_MS / DAY_MS} days, signed in, on the page Team. Nothing changes until then.`,
    ],
  });
}

/** To the former owner and to the new one. */
export function transferredMails(
  deps: MailDeps,
  { from, to, name }: { readonly from: string; readonly to: string; readonly name: string },
): readonly OutgoingMail[] {
  const [former, present] = [shownAddress(from), shownAddress(to)];
  const subject = `${present} owns ${name} on svc now`;
  return [
    mail(deps, from, {
      subject,
      paragraphs: [
        `${present} has accepted the ownership of ${name}. You are an admin there now.`,
        'You have been signed out, and your access tokens have ended. Sign in again to continue.',
      ],
      notes: [`If you did not offer it, ask ${present} and the operator of this hub at once.`],
    }),
    mail(deps, to, {
      subject,
      paragraphs: [
        `You have accepted the ownership of ${name} from ${former}, who is an admin there now.`,
        'You have been signed out. Sign in again to continue.',
      ],
    }),
  ];
}

export function removedMail(deps: MailDeps, to: string, from: string, name: string): OutgoingMail {
  return mail(deps, to, {
    subject: `You are no longer in the team of ${name} on svc`,
    paragraphs: [
      `${from} has taken you out of the team of ${name}.`,
      'You have been signed out. Your access tokens for this team have ended, and the API keys that you made there are revoked.',
    ],
    notes: ['Your own workspace is as it was: sign in again to use it.'],
  });
}

function mail({ random, clock }: MailDeps, to: string, letter: Letter): OutgoingMail {
  return { id: random.uuid(), to, ...layOutLetter(letter), createdAtMs: clock.nowMs() };
}

import type { AuditAction } from '@svc/core/audit/actions';
import { refuse } from '@svc/core/refusal';
import {
  decideAcceptance,
  decideNoTransfer,
  decideOffer,
  OWNERSHIP_OFFER_LIFE_MS,
} from '@svc/core/team/decide-ownership';
import type { Team, TeamMember } from '@svc/core/team/team';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type InTeam, type TeamDeps, teamEntry } from './change-team.ts';
import { offerMail, teamName, transferredMails } from './team-mails.ts';

type OwnershipDeps = TeamDeps & { readonly clock: Clock; readonly random: Random } & {
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
};

/**
 * Offers the ownership to a member, who gets a mail. An offer that was made before ends. A workspace needs a username: without
 * one, only its owner can name it.
 */
export function offerOwnership(
  deps: OwnershipDeps & { readonly hubUrl: string },
  who: InTeam,
  memberId: string,
): Promise<{ readonly mail: OutgoingMail }> {
  const { username } = who.workspace;
  if (username === undefined)
    throw refuse('invalid_argument', 'the workspace has no username yet: choose one first');
  return changeTeam(deps, who.workspace.id, (team) => {
    const member = decideOffer(team, who.userId, memberId);
    const offeredAtMs = deps.clock.nowMs();
    const offer = { userId: memberId, offeredAtMs, expiresAtMs: offeredAtMs + OWNERSHIP_OFFER_LIFE_MS };
    const mail = offerMail(deps, member.email, who.by.actor.name, {
      name: teamName(who, team),
      url: `${deps.hubUrl}/dashboard/team?workspace=${username}`,
    });
    const entry = entryOf(who, offeredAtMs, 'workspace.ownership_offered', member);
    return { mail, store: { change: { kind: 'ownership_offered', offer, mail }, entry } };
  });
}

/** The owner withdraws the offer, or the member declines it. */
export async function endOffer(deps: OwnershipDeps, who: InTeam): Promise<void> {
  await changeTeam(deps, who.workspace.id, (team) => {
    const atMs = deps.clock.nowMs();
    const member = decideNoTransfer(team, who.userId, atMs);
    const isDeclined = member.userId === who.userId;
    const action = isDeclined ? 'workspace.ownership_declined' : 'workspace.ownership_withdrawn';
    return { store: { change: { kind: 'offer_ended' }, entry: entryOf(who, atMs, action, member) } };
  });
}

/**
 * Makes the member who accepts the owner, and the owner an admin, in one transaction. Both get a mail, and sign in again. Returns
 * the former owner.
 */
export async function acceptOwnership(
  deps: OwnershipDeps,
  who: InTeam,
): Promise<{ readonly from: TeamMember; readonly mails: readonly OutgoingMail[] }> {
  const { from, mails } = await changeTeam(deps, who.workspace.id, (team: Team) => {
    const atMs = deps.clock.nowMs();
    const { from: owner, to } = decideAcceptance(team, who.userId, atMs);
    const sent = transferredMails(deps, { from: owner.email, to: to.email, name: teamName(who, team) });
    const change = { kind: 'owner_changed', from: owner.userId, to: to.userId, mails: sent, atMs } as const;
    const entry = entryOf(who, atMs, 'workspace.ownership_accepted', to, { former_owner: owner.email });
    return { from: owner, mails: sent, store: { change, entry } };
  });
  await deps.openStreams.recheck();
  return { from, mails };
}

function entryOf(
  who: InTeam,
  atMs: number,
  action: AuditAction,
  { userId, email }: TeamMember,
  details: { readonly former_owner?: string } = {},
) {
  const target = { kind: 'member', id: userId, name: email } as const;
  return teamEntry(who, atMs, { action, target, details });
}

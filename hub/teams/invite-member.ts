import { decideInvite, decideResend, decideWithdrawal } from '@svc/core/team/decide-invite';
import type { AssignableRole, Invite } from '@svc/core/team/invite';
import type { Team } from '@svc/core/team/team';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type InTeam, type TeamDeps, teamEntry } from './change-team.ts';
import { inviteMail, teamName } from './team-mails.ts';

type InviteDeps = TeamDeps & { readonly clock: Clock; readonly random: Random } & {
  readonly tokens: LinkTokens;
  readonly hubUrl: string;
};

/** An invitation and its mail, stored together. */
export interface SentInvite {
  readonly invite: Invite;
  readonly mail: OutgoingMail;
}

/** Invites the owner of an address (reference 3.2). */
export async function inviteMember(
  deps: InviteDeps,
  who: InTeam,
  { email, role }: { readonly email: string; readonly role: AssignableRole },
): Promise<SentInvite> {
  const wanted = { id: deps.random.uuid(), email, role };
  return send(deps, who, 'invited', (team, nowMs) => decideInvite(team, who.userId, wanted, nowMs));
}

/** Sends the invitation again. The link of the previous mail stops working (decision 34, links that act). */
export async function resendInvite(deps: InviteDeps, who: InTeam, inviteId: string): Promise<SentInvite> {
  return send(deps, who, 'resent', (team, nowMs) => decideResend(team, who.userId, inviteId, nowMs));
}

export async function withdrawInvite(
  deps: TeamDeps & { readonly clock: Clock },
  who: InTeam,
  inviteId: string,
): Promise<void> {
  await changeTeam(deps, who.workspace.id, (team) => {
    const nowMs = deps.clock.nowMs();
    const invite = decideWithdrawal(team, who.userId, inviteId, nowMs);
    const entry = teamEntry(who, nowMs, { action: 'member.invite_withdrawn', target: targetOf(invite) });
    return { store: { change: { kind: 'withdrawn', invite }, entry } };
  });
}

const ACTIONS = { invited: 'member.invited', resent: 'member.invite_resent' } as const;

async function send(
  deps: InviteDeps,
  who: InTeam,
  kind: 'invited' | 'resent',
  decide: (team: Team, nowMs: number) => Invite,
): Promise<SentInvite> {
  return changeTeam(deps, who.workspace.id, (team) => {
    const nowMs = deps.clock.nowMs();
    const invite = decide(team, nowMs);
    const link = { name: teamName(who, team), url: joinUrl(deps, invite) };
    const mail = inviteMail(deps, invite, who.by.actor.name, link);
    const details = { role: invite.role };
    const entry = teamEntry(who, nowMs, { action: ACTIONS[kind], target: targetOf(invite), details });
    return { invite, mail, store: { change: { kind, invite, mail }, entry } };
  });
}

function joinUrl({ tokens, hubUrl }: InviteDeps, { id, generation }: Invite): string {
  return `${hubUrl}/join/${tokens.form('join', id, generation)}`;
}

function targetOf({ id, email }: Invite) {
  return { kind: 'invite', id, name: email } as const;
}

import { decideLeaving, decideRemoval, decideRole } from '@svc/core/team/decide-membership';
import type { AssignableRole } from '@svc/core/team/invite';
import type { Team, TeamMember } from '@svc/core/team/team';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type InTeam, type TeamPorts, teamEntry } from './change-team.ts';
import { removedMail, roleMail, teamName } from './team-mails.ts';

type MemberPorts = TeamPorts & { readonly clock: Clock; readonly random: Random } & {
  readonly openStreams: Pick<OpenStreams, 'review'>;
};

/** A member after a change, and the mail that tells them of it; none when nothing changed. */
export interface ChangedMember {
  readonly member: TeamMember;
  readonly mail: OutgoingMail | undefined;
}

/** Gives a member another role; their sessions and access tokens end (decision 44). */
export async function changeRole(
  ports: MemberPorts,
  who: InTeam,
  memberId: string,
  role: AssignableRole,
): Promise<ChangedMember> {
  const changed = await changeTeam(ports, who.workspace.id, (team) => {
    const { member, isChanged } = decideRole(team, who.userId, memberId, role);
    if (!isChanged) return { member, mail: undefined };
    const atMs = ports.clock.nowMs();
    const mail = roleMail(ports, member.email, who.by.actor.name, { name: teamName(who, team), role });
    const target = targetOf(member);
    const entry = teamEntry(who, atMs, { action: 'member.role_changed', target, details: { role } });
    const change = { kind: 'role_changed', userId: memberId, role, mail, atMs } as const;
    return { member, mail, store: { change, entry } };
  });
  await ports.openStreams.review();
  return changed;
}

/** Takes a member out of the team, and all that they could do there with them (reference 3.4). */
export async function removeMember(
  ports: MemberPorts,
  who: InTeam,
  memberId: string,
): Promise<OutgoingMail | undefined> {
  return end(ports, who, 'member.removed', (team) => {
    const member = decideRemoval(team, who.userId, memberId);
    return { member, mail: removedMail(ports, member.email, who.by.actor.name, teamName(who, team)) };
  });
}

/** The same by oneself. */
export async function leaveTeam(ports: MemberPorts, who: InTeam): Promise<void> {
  await end(ports, who, 'member.left', (team) => ({
    member: decideLeaving(team, who.userId),
    mail: undefined,
  }));
}

/** Only when nothing of theirs works here any more is it said to be done (decision 44). */
async function end(
  ports: MemberPorts,
  who: InTeam,
  action: 'member.removed' | 'member.left',
  decide: (team: Team) => ChangedMember,
): Promise<OutgoingMail | undefined> {
  const { mail } = await changeTeam(ports, who.workspace.id, (team) => {
    const decided = decide(team);
    const { userId, role } = decided.member;
    const atMs = ports.clock.nowMs();
    const entry = teamEntry(who, atMs, { action, target: targetOf(decided.member), details: { role } });
    const change = { kind: 'removed', userId, mail: decided.mail, atMs } as const;
    return { mail: decided.mail, store: { change, entry } };
  });
  await ports.openStreams.review();
  return mail;
}

function targetOf({ userId, email }: TeamMember) {
  return { kind: 'member', id: userId, name: email } as const;
}

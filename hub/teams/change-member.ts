import { decideLeaving, decideRemoval, decideRole } from '@svc/core/team/decide-membership';
import type { AssignableRole } from '@svc/core/team/invite';
import type { Team, TeamMember } from '@svc/core/team/team';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type InTeam, type TeamDeps, teamEntry } from './change-team.ts';
import { removedMail, roleMail, teamName } from './team-mails.ts';

type MemberDeps = TeamDeps & { readonly clock: Clock; readonly random: Random } & {
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
};

/** A member after a change, and the mail about it; no mail when nothing changed. */
export interface ChangedMember {
  readonly member: TeamMember;
  readonly mail: OutgoingMail | undefined;
}

/** Changes the role of a member. Their sessions and access tokens end (decision 44, sign-in). */
export async function changeRole(
  deps: MemberDeps,
  who: InTeam,
  memberId: string,
  role: AssignableRole,
): Promise<ChangedMember> {
  const changed = await changeTeam(deps, who.workspace.id, (team) => {
    const { member, isChanged } = decideRole(team, who.userId, memberId, role);
    if (!isChanged) return { member, mail: undefined };
    const atMs = deps.clock.nowMs();
    const mail = roleMail(deps, member.email, who.by.actor.name, { name: teamName(who, team), role });
    const target = targetOf(member);
    const entry = teamEntry(who, atMs, { action: 'member.role_changed', target, details: { role } });
    const change = { kind: 'role_changed', userId: memberId, role, group: undefined, mail, atMs } as const;
    return { member, mail, store: { change, entry } };
  });
  await deps.openStreams.recheck();
  return changed;
}

/** Removes a member from the team and ends all their credentials for it (reference 3.4). */
export async function removeMember(
  deps: MemberDeps,
  who: InTeam,
  memberId: string,
): Promise<OutgoingMail | undefined> {
  return end(deps, who, 'member.removed', (team) => {
    const member = decideRemoval(team, who.userId, memberId);
    return { member, mail: removedMail(deps, member.email, who.by.actor.name, teamName(who, team)) };
  });
}

/** Removes the acting member. */
export async function leaveTeam(deps: MemberDeps, who: InTeam): Promise<void> {
  await end(deps, who, 'member.left', (team) => ({
    member: decideLeaving(team, who.userId),
    mail: undefined,
  }));
}

/** Waits until all of the member's connections have ended, then reports the removal (decision 44, sign-in). */
async function end(
  deps: MemberDeps,
  who: InTeam,
  action: 'member.removed' | 'member.left',
  decide: (team: Team) => ChangedMember,
): Promise<OutgoingMail | undefined> {
  const { mail } = await changeTeam(deps, who.workspace.id, (team) => {
    const decided = decide(team);
    const { userId, role } = decided.member;
    const atMs = deps.clock.nowMs();
    const entry = teamEntry(who, atMs, { action, target: targetOf(decided.member), details: { role } });
    const change = { kind: 'removed', userId, mail: decided.mail, atMs } as const;
    return { mail: decided.mail, store: { change, entry } };
  });
  await deps.openStreams.recheck();
  return mail;
}

function targetOf({ userId, email }: TeamMember) {
  return { kind: 'member', id: userId, name: email } as const;
}

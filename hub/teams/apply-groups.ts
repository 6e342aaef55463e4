import type { AuditSource } from '@svc/core/audit/entry';
import { Refusal, refuse } from '@svc/core/refusal';
import { decideByGroups, decideByRules, type GroupDecision } from '@svc/core/team/decide-group-membership';
import { decideGroupRoles } from '@svc/core/team/decide-membership';
import { type GroupRole, mayMapGroups, type PersonInGroups, roleOfGroups } from '@svc/core/team/group-roles';
import type { Team } from '@svc/core/team/team';
import type { Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import { changeTeam, type Decided, type InTeam, type TeamDeps, teamEntry } from './change-team.ts';
import type { Teams } from './store/team-store.ts';
import { removedMail, roleMail, teamName } from './team-mails.ts';

export type GroupDeps = TeamDeps & {
  readonly accounts: Pick<Accounts, 'workspaceById'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly settings: Pick<Settings, 'groupWorkspaces' | 'scimWorkspaces'>;
};

/** A sign-in at the provider, with the groups that it proved. */
export interface GroupSignIn {
  readonly user: { readonly id: string; readonly email: string };
  readonly person: PersonInGroups;
  readonly by: AuditSource;
}

/** The most workspaces that one sign-in joins. */
const MAX_JOINED = 100;

/** The workspaces whose rules give a person a role, oldest first. */
export async function workspacesFor(
  {
    teams,
    groupWorkspaces,
  }: { readonly teams: Pick<Teams, 'rulesForGroups'> } & Pick<Settings, 'groupWorkspaces'>,
  person: PersonInGroups,
): Promise<readonly string[]> {
  const ofAll = await teams.rulesForGroups(person.groups);
  const allowed = ofAll.filter((rule) => mayMapGroups(groupWorkspaces, rule));
  const rules = Map.groupBy(allowed, ({ workspaceId }) => workspaceId);
  return [...rules]
    .filter(([, ofWorkspace]) => roleOfGroups(ofWorkspace, person) !== undefined)
    .map(([workspaceId]) => workspaceId)
    .slice(0, MAX_JOINED);
}

/**
 * Brings the memberships of a person in line with their groups: they join, get another role, or leave, with all effects of a
 * removal (decision 78, roles by groups). Returns the mails that are to be sent.
 *
 * @param onNoSeat called with the id of a workspace that has no free seat; the sign-in continues
 */
export async function applyGroups(
  deps: GroupDeps,
  { user, person, by }: GroupSignIn,
  onNoSeat: (workspaceId: string) => void,
): Promise<readonly OutgoingMail[]> {
  const { groupWorkspaces } = deps.settings;
  const ids = new Set([
    ...(await deps.teams.joinedByGroup(user.id)),
    ...(await workspacesFor({ teams: deps.teams, groupWorkspaces }, person)),
  ]);
  const mails: OutgoingMail[] = [];
  for (const id of ids) {
    const workspace = await deps.accounts.workspaceById(id);
    if (workspace === undefined || workspace.signIn !== undefined) continue;
    const hasRules = mayMapGroups(groupWorkspaces, workspace);
    mails.push(...(await applyIn(deps, workspace, hasRules, { user, person, by }, onNoSeat)));
  }
  if (ids.size > 0) await deps.openStreams.recheck();
  return mails;
}

/** The same for one workspace, whose own provider proved the groups (decision 92, providers of workspaces). */
export async function applyGroupsIn(
  deps: GroupDeps,
  workspace: Workspace,
  signIn: GroupSignIn,
  onNoSeat: (workspaceId: string) => void,
): Promise<readonly OutgoingMail[]> {
  const mails = await applyIn(deps, workspace, true, signIn, onNoSeat);
  await deps.openStreams.recheck();
  return mails;
}

/** @param hasRules false: the operator does not let the workspace give roles to groups, so no group has one */
async function applyIn(
  deps: GroupDeps,
  workspace: Workspace,
  hasRules: boolean,
  { user, person, by }: GroupSignIn,
  onNoSeat: (workspaceId: string) => void,
): Promise<readonly OutgoingMail[]> {
  try {
    const { mail } = await changeTeam(deps, workspace.id, (team) => {
      const groupRoles = hasRules ? team.groupRoles : [];
      const decision = decideByGroups({ ...team, groupRoles }, user.id, person, deps.clock.nowMs());
      return changeOf(deps, { workspace, team, user, by }, decision);
    });
    return mail === undefined ? [] : [mail];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'seat_limit_reached') throw error;
    onNoSeat(workspace.id);
    return [];
  }
}

/**
 * Replaces the rules of a workspace. A member by a group leaves at once if the rule of the group is gone, and gets the new role if
 * the rule has another one. People who have a role by the new rules join at their next sign-in.
 */
export async function setGroupRoles(
  deps: GroupDeps,
  who: InTeam,
  rules: readonly GroupRole[],
): Promise<readonly OutgoingMail[]> {
  const { workspace, by } = who;
  const { groupWorkspaces, scimWorkspaces } = deps.settings;
  // A provider of its own brings in only people who linked it to their account themselves.
  if (workspace.signIn === undefined && !mayMapGroups([...groupWorkspaces, ...scimWorkspaces], workspace))
    throw refuse(
      'forbidden',
      'the operator of this hub does not let this workspace give roles to groups (SVC_OIDC_GROUPS_WORKSPACES, SVC_SCIM_WORKSPACES), and it has no sign-in provider of its own',
    );
  const { viaGroup } = await changeTeam(deps, workspace.id, (team) => {
    decideGroupRoles(team, who.userId);
    const target = { kind: 'workspace', id: workspace.id, name: teamName(who, team) } as const;
    const details = { groups: rules.map(inWords) };
    const entry = teamEntry(who, deps.clock.nowMs(), { action: 'member.groups_set', target, details });
    return {
      viaGroup: team.members.filter((member) => member.viaGroup !== undefined),
      store: { change: { kind: 'groups_set', rules } as const, entry },
    };
  });
  const mails: OutgoingMail[] = [];
  for (const { userId: id, email } of viaGroup) {
    const user = { id, email };
    const { mail } = await changeTeam(deps, workspace.id, (team) =>
      changeOf(deps, { workspace, team, user, by }, decideByRules(team, id)),
    );
    if (mail !== undefined) mails.push(mail);
  }
  await deps.openStreams.recheck();
  return mails;
}

interface ChangeContext {
  readonly workspace: Workspace;
  readonly team: Team;
  readonly user: GroupSignIn['user'];
  readonly by: AuditSource;
}

function changeOf(
  deps: GroupDeps,
  { workspace, team, user, by }: ChangeContext,
  decision: GroupDecision,
): Decided & { readonly mail?: OutgoingMail } {
  const atMs = deps.clock.nowMs();
  const { id: userId, email } = user;
  const entryOf = (
    action: 'member.joined' | 'member.role_changed' | 'member.removed',
    details: { readonly role: string; readonly group: string | null },
  ) =>
    teamEntry({ workspace, by }, atMs, {
      action,
      target: { kind: 'member', id: userId, name: email },
      details,
    });
  const name = teamName({ workspace }, team);
  switch (decision.kind) {
    case 'none':
      return {};
    case 'joins': {
      const { role, group } = decision.rule;
      const change = { kind: 'joined_by_group', userId, role, group, atMs } as const;
      return { store: { change, entry: entryOf('member.joined', { role, group }) } };
    }
    case 'has_role': {
      const { role, group } = decision.rule;
      const entry = entryOf('member.role_changed', { role, group });
      if (!decision.isChanged) return { store: { change: { kind: 'group_changed', userId, group }, entry } };
      const mail = roleMail(deps, decision.member.email, by.actor.name, { name, role });
      return { mail, store: { change: { kind: 'role_changed', userId, role, group, mail, atMs }, entry } };
    }
    case 'leaves': {
      const { role, viaGroup: group = null } = decision.member;
      const mail = removedMail(deps, decision.member.email, by.actor.name, name);
      const change = { kind: 'removed', userId, mail, atMs } as const;
      return { mail, store: { change, entry: entryOf('member.removed', { role, group }) } };
    }
  }
}

/** "platform: admin, in example.com" */
function inWords({ group, role, domains }: GroupRole): string {
  return `${group}: ${role}${domains.length === 0 ? '' : `, in ${domains.join(' and ')}`}`;
}

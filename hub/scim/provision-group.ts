import type { AuditAction } from '@svc/core/audit/actions';
import { refuse } from '@svc/core/refusal';
import { decideProvisioning } from '@svc/core/scim/decide-provisioning';
import type { ScimGroup } from '@svc/core/scim/group';
import { refuseScim } from '@svc/core/scim/scim-error';
import { changeTeam, teamEntry } from '../teams/change-team.ts';
import { changeUser, type Provider, type ProvisionDeps } from './provision-user.ts';
import type { KnownGroup } from './store/scim-store.ts';

/** Adds a group, and gives its members the role that the workspace gives to its name. */
export async function addGroup(deps: ProvisionDeps, who: Provider, wanted: ScimGroup): Promise<KnownGroup> {
  const { scim, random, clock } = deps;
  const id = random.uuid();
  const { group } = await changeTeam(deps, who.workspace.id, async () => {
    const nowMs = clock.nowMs();
    const { displayName, externalId, members } = wanted;
    const workspaceId = who.workspace.id;
    const added = { id, workspaceId, displayName, externalId, createdAtMs: nowMs, changedAtMs: nowMs };
    await refuseTakenName(deps, added);
    await refuseUnknownMembers(deps, who, members);
    return {
      group: added,
      store: stored(deps, who, added, 'scim.group_added', scim.addingGroup(added, members)),
    };
  });
  await assignRoles(deps, who);
  return group;
}

/** Changes a group. People who join or leave it get another role at once. */
export async function changeGroup(
  deps: ProvisionDeps,
  who: Provider,
  id: string,
  change: (before: ScimGroup) => ScimGroup,
): Promise<KnownGroup> {
  const { scim, clock } = deps;
  const { group } = await changeTeam(deps, who.workspace.id, async () => {
    const before = await groupOf(deps, who, id);
    const membersBefore = (await scim.membersOfGroup(who.workspace.id, id)).map(({ userId }) => userId);
    const { displayName, externalId } = before;
    const wanted = change({ displayName, externalId, members: membersBefore });
    const after = { ...before, displayName: wanted.displayName, externalId: wanted.externalId };
    const joining = without(wanted.members, membersBefore);
    const leaving = without(membersBefore, wanted.members);
    const isSame = displayName === after.displayName && externalId === after.externalId;
    if (isSame && joining.length === 0 && leaving.length === 0) return { group: before };
    const changed = { ...after, changedAtMs: clock.nowMs() };
    await refuseTakenName(deps, changed);
    await refuseUnknownMembers(deps, who, joining);
    const rows = scim.settingGroup(changed, { joining, leaving });
    const counts = { joining: joining.length, leaving: leaving.length };
    return { group: changed, store: stored(deps, who, changed, 'scim.group_changed', rows, counts) };
  });
  await assignRoles(deps, who);
  return group;
}

export async function removeScimGroup(deps: ProvisionDeps, who: Provider, id: string): Promise<void> {
  await changeTeam(deps, who.workspace.id, async () => {
    const group = await groupOf(deps, who, id);
    return { store: stored(deps, who, group, 'scim.group_removed', deps.scim.removingGroup(group)) };
  });
  await assignRoles(deps, who);
}

/**
 * Gives every active user the role that their groups and the map of the workspace mean now. It looks at all of them, so a request that
 * is sent again after a failure completes what the first one began.
 */
export async function assignRoles(deps: ProvisionDeps, who: Provider): Promise<void> {
  const { scim, teams, clock } = deps;
  const workspaceId = who.workspace.id;
  const team = await teams.load(workspaceId);
  if (team === undefined) return;
  const memberships = Map.groupBy(await scim.memberships(workspaceId), ({ userId }) => userId);
  for (const { id, accountId, roleGroup } of await scim.usersOf(workspaceId)) {
    const member = team.members.find(({ userId }) => userId === accountId);
    if (member === undefined) continue;
    const groups = (memberships.get(id) ?? []).map(({ groupName }) => groupName);
    const account = { id: member.userId, email: member.email };
    const person = { account, isActive: true, groups, roleGroup, defaultRole: who.defaultRole };
    if (decideProvisioning(team, person, clock.nowMs()).kind === 'none') continue;
    await changeUser(deps, who, id, (before) => before);
  }
}

/** The same after a change of the map. Without a token, people who lose the role of a group are members. */
export async function assignRolesByMap(
  deps: ProvisionDeps,
  who: Omit<Provider, 'defaultRole'>,
): Promise<void> {
  const token = await deps.scim.tokenOf(who.workspace.id);
  await assignRoles(deps, { ...who, defaultRole: token?.defaultRole ?? 'member' });
}

async function groupOf({ scim }: ProvisionDeps, { workspace }: Provider, id: string): Promise<KnownGroup> {
  const group = await scim.group(workspace.id, id);
  if (group === undefined) throw noSuchGroup();
  return group;
}

export function noSuchGroup() {
  return refuse('not_found', 'there is no such group');
}

async function refuseTakenName({ scim }: ProvisionDeps, { id, workspaceId, displayName }: KnownGroup) {
  const namesake = await scim.groupByName(workspaceId, displayName);
  if (namesake !== undefined && namesake.id !== id)
    throw refuseScim('uniqueness', `displayName: there is a group ${JSON.stringify(displayName)}`);
}

async function refuseUnknownMembers(
  { scim }: ProvisionDeps,
  { workspace }: Provider,
  ids: readonly string[],
) {
  if (ids.length === 0) return;
  const known = new Set((await scim.usersOf(workspace.id)).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw refuseScim('invalidValue', `members: there is no user with the id ${JSON.stringify(unknown)}`);
}

function stored(
  { clock }: ProvisionDeps,
  who: Provider,
  { id, displayName }: KnownGroup,
  action: AuditAction,
  alongside: NonNullable<Parameters<ProvisionDeps['teams']['store']>[3]>,
  details: Readonly<Record<string, number>> = {},
) {
  const target = { kind: 'scim_group', id, name: displayName } as const;
  const change = { kind: 'scim_changed' } as const;
  return { change, entry: teamEntry(who, clock.nowMs(), { action, target, details }), alongside };
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const removed = new Set(others);
  return ids.filter((id) => !removed.has(id));
}

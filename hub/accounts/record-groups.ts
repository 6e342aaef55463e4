import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { type ChangedGroups, changedGroups } from '@svc/core/team/changed-groups';
import { mayMapGroups } from '@svc/core/team/group-roles';
import { type GroupsProved, provedGroups } from '@svc/core/team/proved-groups';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import type { MemberGroups, MembershipGroups } from '../teams/store/member-groups.ts';
import type { OpenStreams } from './open-streams.ts';

export interface RecordGroupsDeps {
  readonly clock: Clock;
  readonly memberGroups: MemberGroups;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly settings: Pick<Settings, 'groupWorkspaces'>;
}

/** The groups that a sign-in, or a check within a session, proved: none, when it is not one at a provider. */
export interface ProvedGroups extends Omit<GroupsProved, 'workspaceId'> {
  readonly user: { readonly id: string; readonly email: string };
  readonly by: AuditSource;
  readonly workspaceId?: string | undefined;
}

/** Each lost attempt means that another sign-in of the same person was first. */
const ATTEMPTS = 20;

/**
 * Stores the groups of a person in all their workspaces where they count, for grants (decision 94, groups in grants). When this
 * returns, every reachable hub has read them and has ended the streams that they no longer allow.
 */
export async function recordGroups(deps: RecordGroupsDeps, proved: ProvedGroups): Promise<void> {
  let isChanged = false;
  for (const { workspaceId } of await deps.memberGroups.ofUser(proved.user.id))
    isChanged = (await recordIn(deps, workspaceId, proved)) || isChanged;
  if (isChanged) await deps.openStreams.recheck();
}

async function recordIn(deps: RecordGroupsDeps, workspaceId: string, proved: ProvedGroups): Promise<boolean> {
  const { memberGroups } = deps;
  const { id: userId } = proved.user;
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const now = (await memberGroups.ofUser(userId)).find((one) => one.workspaceId === workspaceId);
    if (now === undefined) return false;
    const groups = groupsIn(deps, now, proved);
    const changed = groups && changedGroups(now.groups, groups);
    if (groups === undefined || changed === undefined) return false;
    const entry = entryOf(
      deps,
      workspaceId,
      proved,
      ofGrants(changed, await memberGroups.granted(workspaceId)),
    );
    if (await memberGroups.store(now, userId, groups, entry)) return true;
  }
  throw new Error(`the groups of user ${userId} are being changed by too many at once`);
}

function groupsIn(
  { settings }: Pick<RecordGroupsDeps, 'settings'>,
  membership: MembershipGroups,
  { groups, how, workspaceId }: ProvedGroups,
): readonly string[] | undefined {
  const isMapped = mayMapGroups(settings.groupWorkspaces, membership);
  return provedGroups({ ...membership, isMapped }, { groups, how, workspaceId });
}

/** The groups that have a grant in the workspace. The others change nothing there, and are no business of its admins. */
function ofGrants({ gained, lost }: ChangedGroups, granted: ReadonlySet<string>): ChangedGroups {
  const named = (names: readonly string[]) => names.filter((name) => granted.has(name));
  return { gained: named(gained), lost: named(lost) };
}

/** Undefined where no grant is affected. */
function entryOf(
  { clock }: RecordGroupsDeps,
  workspaceId: string,
  { user, by }: ProvedGroups,
  { gained, lost }: ChangedGroups,
): AuditEntry | undefined {
  if (gained.length === 0 && lost.length === 0) return undefined;
  return {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'member.groups_changed',
    target: { kind: 'member', id: user.id, name: user.email },
    details: { gained, lost },
  };
}

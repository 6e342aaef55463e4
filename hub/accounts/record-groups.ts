import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { type ChangedGroups, changedGroups } from '@svc/core/team/changed-groups';
import { mayMapGroups } from '@svc/core/team/group-roles';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import type { MemberGroups } from '../teams/store/member-groups.ts';
import type { OpenStreams } from './open-streams.ts';

export interface RecordGroupsDeps {
  readonly clock: Clock;
  readonly memberGroups: MemberGroups;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly settings: Pick<Settings, 'groupWorkspaces'>;
}

/** A sign-in with the groups that it proved: none, when it is not one at the provider. */
export interface ProvedGroups {
  readonly user: { readonly id: string; readonly email: string };
  readonly groups: readonly string[];
  readonly by: AuditSource;
}

/** Each lost attempt means that another sign-in of the same person was first. */
const ATTEMPTS = 20;

/**
 * Stores the groups of a person in all their workspaces that may use groups, for grants (decision 94, groups in grants). When this
 * returns, every reachable hub has read them and has ended the streams that they no longer allow.
 */
export async function recordGroups(deps: RecordGroupsDeps, proved: ProvedGroups): Promise<void> {
  let isChanged = false;
  for (const { workspaceId } of await deps.memberGroups.ofUser(proved.user.id))
    isChanged = (await recordIn(deps, workspaceId, proved)) || isChanged;
  if (isChanged) await deps.openStreams.recheck();
}

async function recordIn(deps: RecordGroupsDeps, workspaceId: string, proved: ProvedGroups): Promise<boolean> {
  const { memberGroups, settings } = deps;
  const { id: userId } = proved.user;
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const now = (await memberGroups.ofUser(userId)).find((one) => one.workspaceId === workspaceId);
    if (now === undefined) return false;
    const groups = mayMapGroups(settings.groupWorkspaces, now) ? proved.groups : [];
    const changed = changedGroups(now.groups, groups);
    if (changed === undefined) return false;
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

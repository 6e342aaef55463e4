import type { Plan } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once, reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { GroupRoleRow, InviteRow, MemberRow, OwnershipOfferRow } from './table.ts';

const INVITE_COLUMNS = [
  'id',
  'workspace_id',
  'email',
  'email_key',
  'role',
  'state',
  'generation',
  'invited_by',
  'created_at_ms',
  'expires_at_ms',
  'closed_at_ms',
] as const;
const MEMBER_COLUMNS = ['workspace_id', 'user_id', 'role', 'epoch', 'joined_at_ms', 'via_group'] as const;
const GROUP_ROLE_COLUMNS = ['workspace_id', 'group_name', 'role', 'domains'] as const;

interface OfWorkspace {
  readonly workspace_id: string;
}
type OfMember = Pick<MemberRow, 'workspace_id' | 'user_id'>;
type Ended = OfMember & { readonly now_ms: number };

/** Rules of any workspace for these groups, oldest workspace first. */
export function rulesForGroups({ build }: Database, groups: readonly string[], limit: number) {
  return once(
    build
      .selectFrom('group_roles')
      .innerJoin('workspaces', 'workspaces.id', 'group_roles.workspace_id')
      .select([
        'group_roles.workspace_id',
        'workspaces.username',
        'workspaces.former_usernames',
        'group_name',
        'role',
        'domains',
      ])
      .where('group_name', 'in', groups)
      .where('workspaces.deleted_at_ms', 'is', null)
      // The rules of the others are for the groups of their own provider.
      .where('workspaces.sign_in', 'is', null)
      .orderBy('group_roles.workspace_id')
      .limit(limit),
  );
}

export function teamQueries(database: Database) {
  return { ...readsOf(database), ...writesOf(database), ...endsOf(database) };
}

function readsOf({ build }: Database) {
  const invites = build.selectFrom('invites').select(INVITE_COLUMNS);
  return {
    head: reading((it: OfWorkspace) =>
      build
        .selectFrom('workspaces')
        .leftJoin('ownership_offers', 'ownership_offers.workspace_id', 'workspaces.id')
        .select(['plan', 'team_revision'])
        .select(['ownership_offers.user_id', 'offered_at_ms', 'ownership_offers.expires_at_ms'])
        .where('workspaces.id', '=', it.workspace_id)
        .where('deleted_at_ms', 'is', null),
    ),
    members: reading((it: OfWorkspace) =>
      build
        .selectFrom('members')
        .innerJoin('users', 'users.id', 'members.user_id')
        .select([
          'users.id',
          'users.email',
          'users.second_factor_since_ms',
          'members.role',
          'members.joined_at_ms',
          'members.via_group',
        ])
        .where('members.workspace_id', '=', it.workspace_id)
        .orderBy('users.id'),
    ),
    groupRoles: reading((it: OfWorkspace) =>
      build
        .selectFrom('group_roles')
        .select(GROUP_ROLE_COLUMNS)
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('group_name'),
    ),
    viaGroup: reading((it: { user_id: string }) =>
      build
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
        .select('members.workspace_id')
        .where('members.user_id', '=', it.user_id)
        .where('members.via_group', 'is not', null)
        .where('workspaces.sign_in', 'is', null)
        .orderBy('members.workspace_id'),
    ),
    pending: reading((it: OfWorkspace) =>
      invites.where('workspace_id', '=', it.workspace_id).where('state', '=', 'pending').orderBy('id'),
    ),
    invite: reading((it: { id: string }) => invites.where('id', '=', it.id)),
    openInvite: reading((it: { email_key: string; now_ms: number }) =>
      invites
        .where('email_key', '=', it.email_key)
        .where('state', '=', 'pending')
        .where('expires_at_ms', '>', it.now_ms)
        .orderBy('created_at_ms', 'desc')
        .limit(1),
    ),
  };
}

function writesOf({ build }: Database) {
  return {
    /** The "compare" of every change. It includes the plan, because an operator may change the plan meanwhile. */
    claim: writing(
      (it: OfWorkspace & { readonly revision: number; readonly plan: Plan }) =>
        build
          .updateTable('workspaces')
          .set({ team_revision: sql<number>`team_revision + 1` })
          .where('id', '=', it.workspace_id)
          .where('team_revision', '=', it.revision)
          .where('plan', '=', it.plan),
      { unlessChanged: 'changed', contended: true },
    ),
    addInvite: writing((it: InviteRow) => build.insertInto('invites').values(slotsOf(it, INVITE_COLUMNS))),
    setInvite: writing((it: InviteRow) =>
      build
        .updateTable('invites')
        .set(slotsOf(it, ['state', 'generation', 'invited_by', 'expires_at_ms', 'closed_at_ms']))
        .where('id', '=', it.id),
    ),
    addMember: writing((it: MemberRow) => build.insertInto('members').values(slotsOf(it, MEMBER_COLUMNS))),
    setRole: writing((it: Omit<MemberRow, 'joined_at_ms'>) =>
      build
        .updateTable('members')
        .set(slotsOf(it, ['role', 'epoch', 'via_group']))
        .where('workspace_id', '=', it.workspace_id)
        .where('user_id', '=', it.user_id),
    ),
    setGroup: writing((it: OfMember & Pick<MemberRow, 'via_group'>) =>
      build
        .updateTable('members')
        .set(slotsOf(it, ['via_group']))
        .where('workspace_id', '=', it.workspace_id)
        .where('user_id', '=', it.user_id),
    ),
    dropOffer: writing((it: OfWorkspace) =>
      build.deleteFrom('ownership_offers').where('workspace_id', '=', it.workspace_id),
    ),
    addOffer: writing((it: OwnershipOfferRow) =>
      build
        .insertInto('ownership_offers')
        .values(slotsOf(it, ['workspace_id', 'user_id', 'offered_at_ms', 'expires_at_ms'])),
    ),
    setOwner: writing(
      (it: OfWorkspace & { readonly from: string; readonly to: string }) =>
        build
          .updateTable('workspaces')
          .set({ owner_id: it.to })
          .where('id', '=', it.workspace_id)
          .where('owner_id', '=', it.from),
      { unlessChanged: 'changed' },
    ),
    dropGroupRoles: writing((it: OfWorkspace) =>
      build.deleteFrom('group_roles').where('workspace_id', '=', it.workspace_id),
    ),
    addGroupRole: writing((it: GroupRoleRow) =>
      build.insertInto('group_roles').values(slotsOf(it, GROUP_ROLE_COLUMNS)),
    ),
    /** The grants on endpoints of a member: a person who joins again begins without them. */
    removeGrants: writing((it: OfMember) =>
      build
        .deleteFrom('endpoint_grants')
        .where('workspace_id', '=', it.workspace_id)
        .where('grantee_kind', '=', 'member')
        .where('grantee', '=', it.user_id),
    ),
    removeGroups: writing((it: OfMember) =>
      build
        .deleteFrom('member_groups')
        .where('workspace_id', '=', it.workspace_id)
        .where('user_id', '=', it.user_id),
    ),
    removeMember: writing((it: OfMember) =>
      build
        .deleteFrom('members')
        .where('workspace_id', '=', it.workspace_id)
        .where('user_id', '=', it.user_id),
    ),
  };
}

function endsOf({ build }: Database) {
  const ending = (it: Ended) =>
    build
      .updateTable('access_tokens')
      .set({ expires_at_ms: it.now_ms })
      .where('user_id', '=', it.user_id)
      .where('expires_at_ms', '>', it.now_ms);
  return {
    /** Ends all sessions of the user, because a session acts in any workspace. */
    endSessions: writing((it: Ended) => ending(it).where('kind', 'in', ['session', 'pending'])),
    endTokens: writing((it: Ended) => ending(it).where('workspace_id', '=', it.workspace_id)),
    /** A program that has not asked for its token yet gets none. */
    denyCodes: writing((it: OfMember) =>
      build
        .updateTable('device_codes')
        .set({ state: 'denied' })
        .where('user_id', '=', it.user_id)
        .where('workspace_id', '=', it.workspace_id)
        .where('state', '=', 'approved'),
    ),
    /** Changes nothing. */
    lockUser: writing((it: { user_id: string }) =>
      build
        .updateTable('users')
        .set((row) => ({ email: row.ref('email') }))
        .where('id', '=', it.user_id),
    ),
    /** Those of all workspaces, if the user owns none until they sign in again. */
    endOwnerless: writing((it: Ended) =>
      ending(it).where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('workspaces')
              .select('workspaces.id')
              .where('workspaces.owner_id', '=', it.user_id)
              .where('workspaces.deleted_at_ms', 'is', null),
          ),
        ),
      ),
    ),
    /** The keys of service accounts stay (decision 81, service accounts). */
    revokeKeys: writing((it: Ended) =>
      build
        .updateTable('api_keys')
        .set({ revoked_at_ms: it.now_ms })
        .where('workspace_id', '=', it.workspace_id)
        .where('created_by', '=', it.user_id)
        .where('service_account_id', 'is', null)
        .where('revoked_at_ms', 'is', null),
    ),
  };
}

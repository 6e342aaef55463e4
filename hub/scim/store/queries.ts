import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once, reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { ScimGroupMemberRow, ScimGroupRow, ScimTokenRow, ScimUserRow } from './table.ts';

const TOKEN_COLUMNS = [
  'workspace_id',
  'hash',
  'last4',
  'default_role',
  'created_by',
  'created_at_ms',
  'used_at_ms',
] as const;
const USER_COLUMNS = [
  'id',
  'workspace_id',
  'user_name',
  'user_name_key',
  'external_id',
  'display_name',
  'given_name',
  'family_name',
  'emails',
  'email_key',
  'account_id',
  'role_group',
  'created_at_ms',
  'changed_at_ms',
] as const;
const GROUP_COLUMNS = [
  'id',
  'workspace_id',
  'display_name',
  'display_name_key',
  'external_id',
  'created_at_ms',
  'changed_at_ms',
] as const;

/** The columns that a filter compares; undefined: the hub keeps no such attribute. */
export type Columns = readonly (readonly [column: string, value: string])[];

export interface Range {
  readonly from: number;
  readonly count: number;
}

interface OfWorkspace {
  readonly workspace_id: string;
}
type OfRow = OfWorkspace & { readonly id: string };

/** The users of a workspace with these values, oldest first. */
export function usersPage(
  { build }: Database,
  workspaceId: string,
  columns: Columns,
  { from, count }: Range,
) {
  const all = build.selectFrom('scim_users').select(USER_COLUMNS).where('workspace_id', '=', workspaceId);
  const found = columns.reduce((query, [column, value]) => query.where(sql.ref(column), '=', value), all);
  return once(found.orderBy('id').offset(from).limit(count));
}

export function countOfUsers({ build }: Database, workspaceId: string, columns: Columns) {
  const all = build
    .selectFrom('scim_users')
    .select((of) => of.fn.countAll<number>().as('n'))
    .where('workspace_id', '=', workspaceId);
  return once(columns.reduce((query, [column, value]) => query.where(sql.ref(column), '=', value), all));
}

/** The groups of a workspace with these values, oldest first. */
export function groupsPage(
  { build }: Database,
  workspaceId: string,
  columns: Columns,
  { from, count }: Range,
) {
  const all = build.selectFrom('scim_groups').select(GROUP_COLUMNS).where('workspace_id', '=', workspaceId);
  const found = columns.reduce((query, [column, value]) => query.where(sql.ref(column), '=', value), all);
  return once(found.orderBy('id').offset(from).limit(count));
}

export function countOfGroups({ build }: Database, workspaceId: string, columns: Columns) {
  const all = build
    .selectFrom('scim_groups')
    .select((of) => of.fn.countAll<number>().as('n'))
    .where('workspace_id', '=', workspaceId);
  return once(columns.reduce((query, [column, value]) => query.where(sql.ref(column), '=', value), all));
}

export function scimQueries({ build }: Database) {
  const tokens = build.selectFrom('scim_tokens').select(TOKEN_COLUMNS);
  const users = build.selectFrom('scim_users').select(USER_COLUMNS);
  const groups = build.selectFrom('scim_groups').select(GROUP_COLUMNS);
  const ofMembership = build
    .selectFrom('scim_group_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_group_members.group_id')
    .innerJoin('scim_users', 'scim_users.id', 'scim_group_members.scim_user_id')
    .select([
      'scim_group_members.group_id',
      'scim_group_members.scim_user_id',
      'scim_groups.display_name',
      'scim_users.user_name',
    ])
    .orderBy('scim_group_members.group_id')
    .orderBy('scim_group_members.scim_user_id');
  return {
    tokenByHash: reading((it: { hash: string }) => tokens.where('hash', '=', it.hash)),
    tokenOf: reading((it: OfWorkspace) => tokens.where('workspace_id', '=', it.workspace_id)),
    setToken: writing((it: ScimTokenRow) =>
      build
        .insertInto('scim_tokens')
        .values(slotsOf(it, TOKEN_COLUMNS))
        .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(slotsOf(it, TOKEN_COLUMNS))),
    ),
    removeToken: writing(
      (it: OfWorkspace) => build.deleteFrom('scim_tokens').where('workspace_id', '=', it.workspace_id),
      { unlessChanged: 'none' },
    ),
    touchToken: writing((it: OfWorkspace & { readonly used_at_ms: number }) =>
      build
        .updateTable('scim_tokens')
        .set({ used_at_ms: it.used_at_ms })
        .where('workspace_id', '=', it.workspace_id),
    ),
    user: reading((it: OfRow) => users.where('workspace_id', '=', it.workspace_id).where('id', '=', it.id)),
    userByName: reading((it: OfWorkspace & { readonly user_name_key: string }) =>
      users.where('workspace_id', '=', it.workspace_id).where('user_name_key', '=', it.user_name_key),
    ),
    userByAccount: reading((it: OfWorkspace & { readonly account_id: string }) =>
      users.where('workspace_id', '=', it.workspace_id).where('account_id', '=', it.account_id),
    ),
    usersOf: reading((it: OfWorkspace) => users.where('workspace_id', '=', it.workspace_id).orderBy('id')),
    addUser: writing((it: ScimUserRow) => build.insertInto('scim_users').values(slotsOf(it, USER_COLUMNS))),
    setUser: writing(
      (it: ScimUserRow) =>
        build
          .updateTable('scim_users')
          .set(slotsOf(it, USER_COLUMNS))
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id),
      { unlessChanged: 'gone' },
    ),
    removeUser: writing(
      (it: OfRow) =>
        build.deleteFrom('scim_users').where('workspace_id', '=', it.workspace_id).where('id', '=', it.id),
      { unlessChanged: 'gone' },
    ),
    removeFromGroups: writing((it: OfRow) =>
      build
        .deleteFrom('scim_group_members')
        .where('workspace_id', '=', it.workspace_id)
        .where('scim_user_id', '=', it.id),
    ),
    group: reading((it: OfRow) => groups.where('workspace_id', '=', it.workspace_id).where('id', '=', it.id)),
    groupByName: reading((it: OfWorkspace & { readonly display_name_key: string }) =>
      groups.where('workspace_id', '=', it.workspace_id).where('display_name_key', '=', it.display_name_key),
    ),
    addGroup: writing((it: ScimGroupRow) =>
      build.insertInto('scim_groups').values(slotsOf(it, GROUP_COLUMNS)),
    ),
    setGroup: writing(
      (it: ScimGroupRow) =>
        build
          .updateTable('scim_groups')
          .set(slotsOf(it, GROUP_COLUMNS))
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id),
      { unlessChanged: 'gone' },
    ),
    removeGroup: writing(
      (it: OfRow) =>
        build.deleteFrom('scim_groups').where('workspace_id', '=', it.workspace_id).where('id', '=', it.id),
      { unlessChanged: 'gone' },
    ),
    removeMembers: writing((it: OfRow) =>
      build
        .deleteFrom('scim_group_members')
        .where('workspace_id', '=', it.workspace_id)
        .where('group_id', '=', it.id),
    ),
    addMember: writing((it: ScimGroupMemberRow) =>
      build
        .insertInto('scim_group_members')
        .values(slotsOf(it, ['group_id', 'scim_user_id', 'workspace_id'])),
    ),
    removeMember: writing((it: ScimGroupMemberRow) =>
      build
        .deleteFrom('scim_group_members')
        .where('workspace_id', '=', it.workspace_id)
        .where('group_id', '=', it.group_id)
        .where('scim_user_id', '=', it.scim_user_id),
    ),
    membersOfGroup: reading((it: OfRow) =>
      ofMembership
        .where('scim_group_members.workspace_id', '=', it.workspace_id)
        .where('scim_group_members.group_id', '=', it.id),
    ),
    groupsOfUser: reading((it: OfRow) =>
      ofMembership
        .where('scim_group_members.workspace_id', '=', it.workspace_id)
        .where('scim_group_members.scim_user_id', '=', it.id),
    ),
    memberships: reading((it: OfWorkspace) =>
      ofMembership.where('scim_group_members.workspace_id', '=', it.workspace_id),
    ),
  };
}

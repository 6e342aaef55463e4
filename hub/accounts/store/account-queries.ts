import { type AiAccess, DEFAULT_AI_ACCESS } from '@svc/core/mcp/ai-access';
import type { Plan } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { MemberRow } from '../../teams/store/table.ts';
import type { WorkspaceRow } from '../../workspaces/store/table.ts';
import type { UnenteredAccountRow, UserRow } from './table.ts';

type NewWorkspaceRow = Omit<
  WorkspaceRow,
  | 'username'
  | 'former_usernames'
  | 'deleted_at_ms'
  | 'ai_access'
  | 'endpoint_access'
  | 'sign_in'
  | 'second_factor'
>;
const WORKSPACE_COLUMNS = [
  'workspaces.id',
  'workspaces.username',
  'workspaces.former_usernames',
  'workspaces.owner_id',
  'workspaces.plan',
  'workspaces.ai_access',
  'workspaces.sign_in',
  'workspaces.second_factor',
] as const;

/** The reads of users, workspaces and memberships. */
export function readsOf({ build }: Database) {
  const users = build.selectFrom('users').select(['id', 'email']);
  // A workspace that is being removed is not found.
  const workspaces = build
    .selectFrom('workspaces')
    .select(WORKSPACE_COLUMNS)
    .where('workspaces.deleted_at_ms', 'is', null);
  return {
    workspaceByUsername: reading((it: { username: string }) =>
      workspaces.where('username', '=', it.username),
    ),
    workspaceByAnyUsername: reading((it: { username: string }) =>
      workspaces
        .innerJoin('usernames', 'usernames.workspace_id', 'workspaces.id')
        .where('usernames.username', '=', it.username),
    ),
    workspaceById: reading((it: { id: string }) => workspaces.where('id', '=', it.id)),
    workspacesOf: reading((it: { user_id: string }) =>
      workspaces
        .innerJoin('members', 'members.workspace_id', 'workspaces.id')
        .select('members.role')
        .where('members.user_id', '=', it.user_id)
        .orderBy('members.joined_at_ms')
        .orderBy('workspaces.id'),
    ),
    member: reading((it: { workspace_id: string; user_id: string }) =>
      build
        .selectFrom('members')
        .innerJoin('users', 'users.id', 'members.user_id')
        .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
        .where('workspaces.deleted_at_ms', 'is', null)
        .select([
          'users.email',
          'users.second_factor_since_ms',
          'members.role',
          'members.epoch',
          'members.via_group',
        ])
        .where('members.workspace_id', '=', it.workspace_id)
        .where('members.user_id', '=', it.user_id),
    ),
    userByEmail: reading((it: { email_key: string }) => users.where('email_key', '=', it.email_key)),
    lastWorkspace: reading((it: { id: string }) =>
      build.selectFrom('users').select('last_workspace_id').where('id', '=', it.id),
    ),
    userById: reading((it: { id: string }) => users.where('id', '=', it.id)),
    usersAfter: reading((it: { email_key: string; limit: number }) =>
      build
        .selectFrom('users')
        .innerJoin('workspaces', 'workspaces.owner_id', 'users.id')
        .select(['users.email', 'workspaces.username', 'workspaces.plan', 'users.created_at_ms'])
        .where('workspaces.deleted_at_ms', 'is', null)
        .where('users.email_key', '>', it.email_key)
        // The oldest workspace of an owner: ids are in the order of creation.
        .where('workspaces.id', 'in', (of) =>
          of
            .selectFrom('workspaces as own')
            .select((row) => row.fn.min<string>('own.id').as('id'))
            .where('own.deleted_at_ms', 'is', null)
            .groupBy('own.owner_id'),
        )
        .orderBy('users.email_key')
        .limit(it.limit),
    ),
  };
}

/** The statements that change users, workspaces and memberships. */
export function writesOf({ build }: Database) {
  return {
    addUser: writing(
      (it: Omit<UserRow, 'second_factor_since_ms' | 'last_workspace_id'>) =>
        build
          .insertInto('users')
          .values(slotsOf(it, ['id', 'email', 'email_key', 'created_at_ms']))
          .onConflict((conflict) => conflict.column('email_key').doNothing()),
      { unlessChanged: 'exists' },
    ),
    markUnentered: writing((it: UnenteredAccountRow) =>
      build.insertInto('unentered_accounts').values(slotsOf(it, ['user_id', 'created_at_ms'])),
    ),
    addWorkspace: writing((it: NewWorkspaceRow) =>
      build
        .insertInto('workspaces')
        .values(slotsOf(it, ['id', 'owner_id', 'plan', 'created_at_ms', 'team_revision'])),
    ),
    /** Locks the user, so that the second of two concurrent requests sees the workspace of the first. */
    lockUser: writing(
      (it: { id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.id),
      { unlessChanged: 'no_user' },
    ),
    addWorkspaceWithin: writing(
      (it: NewWorkspaceRow & { limit: number }) =>
        build
          .insertInto('workspaces')
          .columns(['id', 'owner_id', 'plan', 'created_at_ms', 'team_revision'])
          .expression((row) =>
            row
              .selectFrom('users')
              .select([
                sql<string>`${it.id}`.as('id'),
                'users.id as owner_id',
                sql<Plan>`${it.plan}`.as('plan'),
                sql<number>`cast(${it.created_at_ms} as bigint)`.as('created_at_ms'),
                sql<number>`cast(${it.team_revision} as bigint)`.as('team_revision'),
              ])
              .where('users.id', '=', it.owner_id)
              .where((of) =>
                of(
                  of
                    .selectFrom('workspaces')
                    .select((row) => row.fn.countAll<number>().as('owned'))
                    .whereRef('workspaces.owner_id', '=', 'users.id')
                    .where('workspaces.deleted_at_ms', 'is', null),
                  '<',
                  sql<number>`cast(${it.limit} as bigint)`,
                ),
              ),
          ),
      { unlessChanged: 'too_many' },
    ),
    noteLastWorkspace: writing((it: { user_id: string; workspace_id: string }) =>
      build.updateTable('users').set({ last_workspace_id: it.workspace_id }).where('id', '=', it.user_id),
    ),
    addMember: writing((it: Omit<MemberRow, 'via_group'>) =>
      build
        .insertInto('members')
        .values(slotsOf(it, ['workspace_id', 'user_id', 'role', 'epoch', 'joined_at_ms'])),
    ),
    setPlan: writing((it: { workspace_id: string; plan: Plan }) =>
      build.updateTable('workspaces').set({ plan: it.plan }).where('id', '=', it.workspace_id),
    ),
    changeAiAccess: writing(
      (it: { workspace_id: string; from: AiAccess; to: AiAccess }) =>
        build
          .updateTable('workspaces')
          .set({ ai_access: it.to })
          .where('id', '=', it.workspace_id)
          .where((row) => row(row.fn.coalesce('ai_access', row.val(DEFAULT_AI_ACCESS)), '=', it.from)),
      { unlessChanged: 'changed_already' },
    ),
  };
}

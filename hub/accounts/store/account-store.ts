import type { AuditEntry } from '@svc/core/audit/entry';
import { type AiAccess, DEFAULT_AI_ACCESS } from '@svc/core/mcp/ai-access';
import type { Plan } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { MemberRow } from '../../teams/store/table.ts';
import { formerUsernamesIn } from '../../workspaces/store/former-usernames.ts';
import type { WorkspaceRow } from '../../workspaces/store/table.ts';
import type { ListedUser, Member, Workspace } from '../account-ports.ts';
import type { UnenteredAccountRow, UserRow } from './table.ts';

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly workspaceId: string;
  readonly plan: Plan;
  readonly nowMs: number;
}

interface NewWorkspace {
  readonly id: string;
  readonly userId: string;
  readonly plan: Plan;
  readonly nowMs: number;
  /** How many workspaces the user owns afterwards at most. */
  readonly limit: number;
}

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
type User = Pick<UserRow, 'id' | 'email'>;

/** Users, workspaces and memberships. */
export class Accounts {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #read: ReturnType<typeof readsOf>;
  readonly #write: ReturnType<typeof writesOf>;

  constructor(database: Database, auditWriter: AuditWriter) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#read = readsOf(database);
    this.#write = writesOf(database);
  }

  async workspaceByUsername(username: string): Promise<Workspace | undefined> {
    const row = await firstRow(this.#database, this.#read.workspaceByUsername({ username }));
    return row && workspaceIn(row);
  }

  /** The workspace that has, or had, this username. */
  async workspaceByAnyUsername(username: string): Promise<Workspace | undefined> {
    const row = await firstRow(this.#database, this.#read.workspaceByAnyUsername({ username }));
    return row && workspaceIn(row);
  }

  async workspaceById(id: string): Promise<Workspace | undefined> {
    const row = await firstRow(this.#database, this.#read.workspaceById({ id }));
    return row && workspaceIn(row);
  }

  async workspacesOf(userId: string) {
    const rows = await this.#database.rows(this.#read.workspacesOf({ user_id: userId }));
    return rows.map(({ role, ...workspace }) => ({ workspace: workspaceIn(workspace), role }));
  }

  async member(workspaceId: string, userId: string): Promise<Member | undefined> {
    const row = await firstRow(
      this.#database,
      this.#read.member({ workspace_id: workspaceId, user_id: userId }),
    );
    if (row === undefined) return undefined;
    const { email, role, epoch, via_group: viaGroup, second_factor_since_ms: since } = row;
    const hasSecondFactor = since !== null;
    return { userId, email, workspaceId, role, epoch, viaGroup: viaGroup ?? undefined, hasSecondFactor };
  }

  userByEmail(email: string): Promise<User | undefined> {
    return firstRow(this.#database, this.#read.userByEmail({ email_key: keyOf(email) }));
  }

  userById(id: string): Promise<User | undefined> {
    return firstRow(this.#database, this.#read.userById({ id }));
  }

  /** Creates user, workspace and ownership in one transaction. Returns the existing user when the address has one. */
  async createUser(user: NewUser, entry: AuditEntry): Promise<User> {
    await this.#auditWriter.commit(this.addingUser(user), entry);
    const stored = await this.userByEmail(user.email);
    if (stored === undefined) throw new Error(`user ${user.id} was stored and is not there`);
    return stored;
  }

  /** The same for an account that its person has not entered: only a provider knows the person (decision 91, provisioning by SCIM). */
  async createUnentered(user: NewUser, entry: AuditEntry): Promise<User> {
    const mark = this.#write.markUnentered({ user_id: user.id, created_at_ms: user.nowMs });
    await this.#auditWriter.commit([...this.addingUser(user), mark], entry);
    const stored = await this.userByEmail(user.email);
    if (stored === undefined) throw new Error(`user ${user.id} was stored and is not there`);
    return stored;
  }

  /** The statements that create a user, workspace and ownership, for a larger unit of work; `exists`: the address has a user. */
  addingUser({ id, email, workspaceId, plan, nowMs }: NewUser): Statement<'exists'>[] {
    const user = { id, email, email_key: keyOf(email), created_at_ms: nowMs };
    const workspace = { id: workspaceId, owner_id: id, plan, created_at_ms: nowMs, team_revision: 0 };
    const owner = ownerRow(workspaceId, id, nowMs);
    const { addUser, addWorkspace, addMember } = this.#write;
    return [addUser(user), addWorkspace(workspace), addMember(owner)];
  }

  /** Creates a workspace for a user, with the statements of `alongside` in the same transaction, which may refer to it. */
  async createWorkspace<Tag extends string = never>(
    { userId, id, plan, nowMs, limit }: NewWorkspace,
    entry: AuditEntry,
    alongside: readonly Statement<Tag>[] = [],
  ): Promise<'stored' | 'no_user' | 'too_many' | Tag> {
    const { lockUser, addWorkspaceWithin, addMember } = this.#write;
    const workspace = { id, owner_id: userId, plan, created_at_ms: nowMs, team_revision: 0 };
    const member = ownerRow(id, userId, nowMs);
    const added = [lockUser({ id: userId }), addWorkspaceWithin({ ...workspace, limit }), addMember(member)];
    return await this.#auditWriter.commit<'no_user' | 'too_many' | Tag>([...added, ...alongside], entry);
  }

  async setPlan(workspaceId: string, plan: Plan, entry: AuditEntry): Promise<void> {
    const unit = [this.#write.setPlan({ workspace_id: workspaceId, plan })];
    await this.#auditWriter.commit(makingStale(unit, { kind: 'workspace', id: workspaceId }), entry);
  }

  /** False, and nothing is stored, if the access is no longer `from`. */
  async changeAiAccess(
    {
      workspaceId,
      from,
      to,
    }: { readonly workspaceId: string; readonly from: AiAccess; readonly to: AiAccess },
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#write.changeAiAccess({ workspace_id: workspaceId, from, to })];
    const stale = makingStale(unit, { kind: 'workspace', id: workspaceId });
    return (await this.#auditWriter.commit(stale, entry)) === 'stored';
  }

  /** The workspace in which the user was last; undefined: their own. */
  async lastWorkspaceOf(userId: string): Promise<string | undefined> {
    const row = await firstRow(this.#database, this.#read.lastWorkspace({ id: userId }));
    return row?.last_workspace_id ?? undefined;
  }

  async noteLastWorkspace(userId: string, workspaceId: string): Promise<void> {
    await this.#database.commit([
      this.#write.noteLastWorkspace({ user_id: userId, workspace_id: workspaceId }),
    ]);
  }

  /** Users sorted by address, after the given one. */
  async usersAfter(email: string, limit: number): Promise<readonly ListedUser[]> {
    const rows = await this.#database.reader.rows(this.#read.usersAfter({ email_key: keyOf(email), limit }));
    return rows.map(recordOf);
  }
}

function workspaceIn({
  former_usernames,
  ...row
}: Pick<
  WorkspaceRow,
  'id' | 'username' | 'former_usernames' | 'owner_id' | 'plan' | 'ai_access' | 'sign_in' | 'second_factor'
>): Workspace {
  return { ...recordOf(row), formerUsernames: formerUsernamesIn(former_usernames) };
}

/** The first membership of a workspace. */
function ownerRow(workspace_id: string, user_id: string, joined_at_ms: number) {
  return { workspace_id, user_id, role: 'owner', epoch: 0, joined_at_ms } as const;
}

/** Two spellings of an address that differ in case are one user. */
function keyOf(email: string): string {
  return email.toLowerCase();
}

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

function readsOf({ build }: Database) {
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
        // Of the workspaces of one owner the oldest: ids are in the order in which they were made.
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

function writesOf({ build }: Database) {
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

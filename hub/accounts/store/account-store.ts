import { emailKey } from '@svc/core/account/email-address';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { AiAccess } from '@svc/core/mcp/ai-access';
import type { Plan } from '@svc/core/plan/plans';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { recordOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import { formerUsernamesIn } from '../../workspaces/store/former-usernames.ts';
import type { WorkspaceRow } from '../../workspaces/store/table.ts';
import type { ListedUser, Member, Workspace } from '../account-ports.ts';
import { readsOf, writesOf } from './account-queries.ts';
import type { UserRow } from './table.ts';

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
  /** How many workspaces the user may own afterwards. */
  readonly limit: number;
}

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
    return firstRow(this.#database, this.#read.userByEmail({ email_key: emailKey(email) }));
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
    const user = { id, email, email_key: emailKey(email), created_at_ms: nowMs };
    const workspace = { id: workspaceId, owner_id: id, plan, created_at_ms: nowMs, team_revision: 0 };
    const owner = ownerRow(workspaceId, id, nowMs);
    const { addUser, addWorkspace, addMember } = this.#write;
    return [addUser(user), addWorkspace(workspace), addMember(owner)];
  }

  /** Creates a workspace for a user. The statements of `alongside` run in the same transaction and may refer to the workspace. */
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

  /** The workspace that the user used last; undefined: their first own one. */
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
    const rows = await this.#database.reader.rows(
      this.#read.usersAfter({ email_key: emailKey(email), limit }),
    );
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

import type { AuditEntry } from '@svc/core/audit/entry';
import type { ScimEmail } from '@svc/core/scim/user';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { type RecordOf, recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import {
  type Columns,
  countOfGroups,
  countOfUsers,
  groupsPage,
  type Range,
  scimQueries,
  usersPage,
} from './queries.ts';
import type { ScimGroupRow, ScimTokenRow, ScimUserRow } from './table.ts';

export type ScimToken = RecordOf<ScimTokenRow>;
export type KnownGroup = Omit<RecordOf<ScimGroupRow>, 'displayNameKey'>;
export type KnownUser = Omit<RecordOf<ScimUserRow>, 'emails' | 'userNameKey' | 'emailKey'> & {
  readonly emails: readonly ScimEmail[];
  /** The address by which the account was found. */
  readonly email: string;
};

/** A user in a group. */
export interface GroupMembership {
  readonly groupId: string;
  readonly groupName: string;
  readonly userId: string;
  readonly userName: string;
}

/** A page of resources, and the number of all. */
interface Page<Resource> {
  readonly items: readonly Resource[];
  readonly total: number;
}

/**
 * Tokens, users and groups of SCIM. Each change of users and groups is stored with a change of the team, at one revision, so that no
 * two of them meet (`Teams.store`).
 */
export class ScimDirectory {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #queries: ReturnType<typeof scimQueries>;

  constructor(database: Database, auditWriter: AuditWriter) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = scimQueries(database);
  }

  async tokenByHash(hash: string): Promise<ScimToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.tokenByHash({ hash }));
    return row && recordOf(row);
  }

  async tokenOf(workspaceId: string): Promise<ScimToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.tokenOf({ workspace_id: workspaceId }));
    return row && recordOf(row);
  }

  /** Sets the token of a workspace, which ends the one before. */
  async setToken(token: ScimToken, entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit([this.#queries.setToken(rowOf(token))], entry);
  }

  /** False: there is none. */
  async removeToken(workspaceId: string, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.removeToken({ workspace_id: workspaceId })];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  async touchToken(workspaceId: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.touchToken({ workspace_id: workspaceId, used_at_ms: nowMs })]);
  }

  async user(workspaceId: string, id: string): Promise<KnownUser | undefined> {
    const row = await firstRow(this.#database, this.#queries.user({ workspace_id: workspaceId, id }));
    return row && userOf(row);
  }

  async userByName(workspaceId: string, userName: string): Promise<KnownUser | undefined> {
    const it = { workspace_id: workspaceId, user_name_key: nameKey(userName) };
    const row = await firstRow(this.#database, this.#queries.userByName(it));
    return row && userOf(row);
  }

  async userByAccount(workspaceId: string, accountId: string): Promise<KnownUser | undefined> {
    const it = { workspace_id: workspaceId, account_id: accountId };
    const row = await firstRow(this.#database, this.#queries.userByAccount(it));
    return row && userOf(row);
  }

  async usersOf(workspaceId: string): Promise<KnownUser[]> {
    return (await this.#database.rows(this.#queries.usersOf({ workspace_id: workspaceId }))).map(userOf);
  }

  async usersPage(workspaceId: string, columns: Columns, range: Range): Promise<Page<KnownUser>> {
    if (columns.some(isAddress)) return await this.#usersByAddress(workspaceId, columns, range);
    const counted = await firstRow(this.#database, countOfUsers(this.#database, workspaceId, columns));
    const rows = await this.#database.rows(usersPage(this.#database, workspaceId, columns, range));
    return { items: rows.map(userOf), total: Number(counted?.n ?? 0) };
  }

  /** By the addresses that the provider sent last. The column has the one by which the account was found. */
  async #usersByAddress(
    workspaceId: string,
    columns: Columns,
    { from, count }: Range,
  ): Promise<Page<KnownUser>> {
    const others = columns.filter((column) => !isAddress(column));
    const all = { from: 0, count: Number.MAX_SAFE_INTEGER };
    const rows = await this.#database.rows(usersPage(this.#database, workspaceId, others, all));
    const wanted = columns.filter(isAddress).map(([, value]) => value);
    const found = rows.map(userOf).filter((user) => wanted.every((key) => addressKeys(user).includes(key)));
    return { items: found.slice(from, from + count), total: found.length };
  }

  async group(workspaceId: string, id: string): Promise<KnownGroup | undefined> {
    const row = await firstRow(this.#database, this.#queries.group({ workspace_id: workspaceId, id }));
    return row && groupOf(row);
  }

  async groupByName(workspaceId: string, name: string): Promise<KnownGroup | undefined> {
    const it = { workspace_id: workspaceId, display_name_key: nameKey(name) };
    const row = await firstRow(this.#database, this.#queries.groupByName(it));
    return row && groupOf(row);
  }

  async groupsPage(workspaceId: string, columns: Columns, range: Range): Promise<Page<KnownGroup>> {
    const counted = await firstRow(this.#database, countOfGroups(this.#database, workspaceId, columns));
    const rows = await this.#database.rows(groupsPage(this.#database, workspaceId, columns, range));
    return { items: rows.map(groupOf), total: Number(counted?.n ?? 0) };
  }

  async membersOfGroup(workspaceId: string, id: string): Promise<GroupMembership[]> {
    const query = this.#queries.membersOfGroup({ workspace_id: workspaceId, id });
    return (await this.#database.rows(query)).map(membershipOf);
  }

  async groupsOfUser(workspaceId: string, id: string): Promise<GroupMembership[]> {
    const query = this.#queries.groupsOfUser({ workspace_id: workspaceId, id });
    return (await this.#database.rows(query)).map(membershipOf);
  }

  async memberships(workspaceId: string): Promise<GroupMembership[]> {
    const query = this.#queries.memberships({ workspace_id: workspaceId });
    return (await this.#database.rows(query)).map(membershipOf);
  }

  addingUser(user: KnownUser): Statement {
    return this.#queries.addUser(rowOfUser(user));
  }

  settingUser(user: KnownUser): Statement {
    return this.#queries.setUser(rowOfUser(user));
  }

  removingUser({ workspaceId: workspace_id, id }: KnownUser): Statement[] {
    const it = { workspace_id, id };
    return [this.#queries.removeUser(it), this.#queries.removeFromGroups(it)];
  }

  /** @param members the ids of users */
  addingGroup(group: KnownGroup, members: readonly string[]): Statement[] {
    return [this.#queries.addGroup(rowOfGroup(group)), ...this.#adding(group, members)];
  }

  /** @param change the ids of users who join the group and who leave it */
  settingGroup(
    group: KnownGroup,
    { joining, leaving }: { readonly joining: readonly string[]; readonly leaving: readonly string[] },
  ): Statement[] {
    const removed = leaving.map((id) => this.#queries.removeMember(memberRow(group, id)));
    return [this.#queries.setGroup(rowOfGroup(group)), ...removed, ...this.#adding(group, joining)];
  }

  removingGroup({ workspaceId: workspace_id, id }: KnownGroup): Statement[] {
    const it = { workspace_id, id };
    return [this.#queries.removeGroup(it), this.#queries.removeMembers(it)];
  }

  #adding(group: KnownGroup, members: readonly string[]): Statement[] {
    return members.map((id) => this.#queries.addMember(memberRow(group, id)));
  }
}

/** Without addresses, the user name is one. */
function addressKeys({ emails, email }: KnownUser): readonly string[] {
  return emails.length === 0 ? [nameKey(email)] : emails.map(({ value }) => nameKey(value));
}

function isAddress([column]: Columns[number]): boolean {
  return column === 'email_key';
}

/** Names that differ in case are one (RFC 7643, sections 4.1.1 and 4.2). */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

function memberRow({ id, workspaceId }: KnownGroup, userId: string) {
  return { group_id: id, scim_user_id: userId, workspace_id: workspaceId };
}

function userOf(row: ScimUserRow): KnownUser {
  const { emails, userNameKey: _, emailKey: email, ...user } = recordOf(row);
  return { ...user, email, emails: JSON.parse(emails) as ScimEmail[] };
}

function rowOfUser({ emails, email, ...user }: KnownUser): ScimUserRow {
  const keys = { user_name_key: nameKey(user.userName), email_key: nameKey(email) };
  return { ...rowOf(user), ...keys, emails: JSON.stringify(emails) };
}

function groupOf(row: ScimGroupRow): KnownGroup {
  const { displayNameKey: _, ...group } = recordOf(row);
  return group;
}

function rowOfGroup(group: KnownGroup): ScimGroupRow {
  return { ...rowOf(group), display_name_key: nameKey(group.displayName) };
}

function membershipOf(row: {
  group_id: string;
  display_name: string;
  scim_user_id: string;
  user_name: string;
}): GroupMembership {
  const { group_id: groupId, display_name: groupName, scim_user_id: userId, user_name: userName } = row;
  return { groupId, groupName, userId, userName };
}

import { emailKey } from '@svc/core/account/email-address';
import type { AuditEntry } from '@svc/core/audit/entry';
import { EVERYONE, type GroupRole } from '@svc/core/team/group-roles';
import type { Invite } from '@svc/core/team/invite';
import type { OwnershipOffer, Team } from '@svc/core/team/team';
import { may, type Role } from '@svc/core/workspace/permissions';
import type { WorkspaceNames } from '@svc/core/workspace/username';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import { formerUsernamesIn } from '../../workspaces/store/former-usernames.ts';
import { rulesForGroups, teamQueries } from './queries.ts';
import type { GroupRoleRow, InviteRow } from './table.ts';
import type { TeamChange } from './team-change.ts';

/** The parts of other stores whose rows a change of a team adds. */
interface TeamParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/** A rule with the workspace that it belongs to. */
interface RuleOfWorkspace extends GroupRole, WorkspaceNames {
  readonly workspaceId: string;
}

/** Members, invitations and group roles of a workspace. A change is decided on one revision and stored only on the same revision. */
export class Teams {
  readonly #database: Database;
  readonly #parts: TeamParts;
  readonly #queries: ReturnType<typeof teamQueries>;

  constructor(database: Database, parts: TeamParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = teamQueries(database);
  }

  async load(workspaceId: string): Promise<Team | undefined> {
    const it = { workspace_id: workspaceId };
    // NOTE: The revision is read first. A decision on newer members is then refused; an outdated one is never accepted.
    const head = await firstRow(this.#database, this.#queries.head(it));
    if (head === undefined) return undefined;
    const members = await this.#database.rows(this.#queries.members(it));
    const invites = await this.#database.rows(this.#queries.pending(it));
    const groupRoles = await this.#database.rows(this.#queries.groupRoles(it));
    return {
      workspaceId,
      plan: head.plan,
      revision: head.team_revision,
      members: members.map(({ id, email, role, joined_at_ms, via_group, second_factor_since_ms }) => ({
        userId: id,
        email,
        role,
        joinedAtMs: joined_at_ms,
        viaGroup: via_group ?? undefined,
        hasSecondFactor: second_factor_since_ms !== null,
      })),
      invites: invites.map(inviteOf),
      groupRoles: groupRoles.map(groupRoleOf),
      offer: offerOf(head),
    };
  }

  /** The rules of all workspaces without a provider of their own for these groups and for `EVERYONE`; at most `MAX_RULES_READ`. */
  async rulesForGroups(groups: readonly string[]): Promise<RuleOfWorkspace[]> {
    const query = rulesForGroups(this.#database, [...groups, EVERYONE], MAX_RULES_READ);
    const rows = await this.#database.rows(query);
    return rows.map((row) => ({
      ...groupRoleOf(row),
      workspaceId: row.workspace_id,
      username: row.username ?? undefined,
      formerUsernames: formerUsernamesIn(row.former_usernames),
    }));
  }

  /** The workspaces whose member a user is by a group at the provider of the hub. */
  async joinedByGroup(userId: string): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.viaGroup({ user_id: userId }));
    return rows.map(({ workspace_id: workspaceId }) => workspaceId);
  }

  async invite(id: string): Promise<Invite | undefined> {
    const row = await firstRow(this.#database, this.#queries.invite({ id }));
    return row && inviteOf(row);
  }

  /** The newest open invitation for this address, of any workspace. */
  async openInvite(email: string, nowMs: number): Promise<Invite | undefined> {
    const it = { email_key: emailKey(email), now_ms: nowMs };
    const row = await firstRow(this.#database, this.#queries.openInvite(it));
    return row && inviteOf(row);
  }

  /**
   * Stores the change, its mail and its audit entry in one transaction with all consequences: a removal ends
   * sessions, access tokens and API keys; a new role ends sessions and access tokens, and API keys
   * if the role may have none (reference 3.4, decision 44, sign-in).
   * False, and nothing is stored, when the team has changed since it was loaded.
   *
   * @param alongside more that is stored with it, whose expectations must be met as well
   */
  async store(
    team: Team,
    change: TeamChange,
    entry: AuditEntry,
    alongside: readonly Statement[] = [],
  ): Promise<boolean> {
    const { workspaceId, revision, plan } = team;
    const claim = this.#queries.claim({ workspace_id: workspaceId, revision, plan });
    const changes: readonly Statement[] = [claim, ...this.#statements(team, change), ...alongside];
    // The rights on endpoints depend on roles and groups.
    const rights = { kind: 'workspace', id: workspaceId } as const;
    const unit =
      change.kind === 'removed' || (change.kind === 'role_changed' && losesKeys(change))
        ? makingStale(changes, rights, { kind: 'keys_of_user', userId: change.userId })
        : makingStale(changes, rights);
    return (await this.#parts.auditWriter.commit(unit, entry)) === 'stored';
  }

  #statements(team: Team, change: TeamChange): readonly Statement<'changed'>[] {
    const { addInvite, setInvite } = this.#queries;
    switch (change.kind) {
      case 'invited':
        return [addInvite(rowOfInvite(change.invite)), this.#parts.mails.adding(change.mail)];
      case 'resent':
        return [setInvite(rowOfInvite(change.invite)), this.#parts.mails.adding(change.mail)];
      case 'withdrawn':
        return [setInvite(rowOfInvite(change.invite))];
      case 'joined':
        return [
          this.#queries.setInvite(rowOfInvite(change.invite)),
          this.#joining(team, { ...change, role: change.invite.role, group: undefined }),
        ];
      case 'joined_by_group':
        // An earlier session may come from a link by mail, and lasts longer than a session of a member by a group may.
        return [
          this.#joining(team, change),
          this.#queries.endSessions({
            workspace_id: team.workspaceId,
            user_id: change.userId,
            now_ms: change.atMs,
          }),
        ];
      case 'joined_by_scim':
        return [this.#joining(team, { ...change, group: undefined })];
      case 'scim_changed':
        return [];
      case 'group_changed':
        return [
          this.#queries.setGroup({
            workspace_id: team.workspaceId,
            user_id: change.userId,
            via_group: change.group ?? null,
          }),
        ];
      case 'groups_set':
        return [
          this.#queries.dropGroupRoles({ workspace_id: team.workspaceId }),
          ...change.rules.map((rule) => this.#queries.addGroupRole(rowOfRule(team.workspaceId, rule))),
        ];
      case 'role_changed':
        return [...this.#changingRole(team, change), this.#parts.mails.adding(change.mail)];
      case 'ownership_offered': {
        const { userId: user_id, offeredAtMs, expiresAtMs } = change.offer;
        const it = { workspace_id: team.workspaceId, user_id };
        return [
          this.#queries.dropOffer(it),
          this.#queries.addOffer({ ...it, offered_at_ms: offeredAtMs, expires_at_ms: expiresAtMs }),
          this.#parts.mails.adding(change.mail),
        ];
      }
      case 'offer_ended':
        return [this.#queries.dropOffer({ workspace_id: team.workspaceId })];
      case 'owner_changed':
        return this.#changingOwner(team, change);
      case 'removed':
        return [
          ...this.#removing(team, change),
          ...(change.mail === undefined ? [] : [this.#parts.mails.adding(change.mail)]),
        ];
    }
  }

  #changingOwner(team: Team, { from, to, mails, atMs }: Change<'owner_changed'>): Statement<'changed'>[] {
    const { setOwner, setRole, dropOffer, endOwnerless, lockUser } = this.#queries;
    const at = { workspace_id: team.workspaceId };
    const raised = { ...at, epoch: epochAfter(team), via_group: null };
    const ended = { ...at, now_ms: atMs };
    return [
      setOwner({ ...at, from, to }),
      setRole({ ...raised, user_id: from, role: 'admin' }),
      setRole({ ...raised, user_id: to, role: 'owner' }),
      dropOffer(at),
      ...[from, to].flatMap((user_id) => this.#endingAccess({ ...ended, user_id })),
      // Locks the user, so that of two transfers at the same moment the second one sees that no workspace is left.
      lockUser({ user_id: from }),
      endOwnerless({ ...ended, user_id: from }),
      ...mails.map((mail) => this.#parts.mails.adding(mail)),
    ];
  }

  #joining(team: Team, { userId, role, group, atMs }: Joining): Statement<never> {
    return this.#queries.addMember({
      workspace_id: team.workspaceId,
      user_id: userId,
      role,
      epoch: epochAfter(team),
      joined_at_ms: atMs,
      via_group: group ?? null,
    });
  }

  #changingRole(team: Team, { userId, role, group, atMs }: Change<'role_changed'>): Statement<never>[] {
    const { setRole, revokeKeys } = this.#queries;
    const member = { workspace_id: team.workspaceId, user_id: userId };
    const ended = { ...member, now_ms: atMs };
    const row = { ...member, role, epoch: epochAfter(team), via_group: group ?? null };
    const end = [setRole(row), ...this.#endingAccess(ended)];
    return losesKeys({ role }) ? [...end, revokeKeys(ended)] : end;
  }

  /** The membership is removed first: a concurrent creation of a key locks its row, so no key appears after the revocation. */
  #removing(team: Team, { userId, atMs }: Change<'removed'>): Statement<never>[] {
    const { removeMember, removeGrants, removeGroups, revokeKeys } = this.#queries;
    const member = { workspace_id: team.workspaceId, user_id: userId };
    const ended = { ...member, now_ms: atMs };
    return [
      removeMember(member),
      removeGrants(member),
      removeGroups(member),
      ...this.#endingAccess(ended),
      revokeKeys(ended),
    ];
  }

  /** All sessions, and what was made for this workspace: access tokens, and codes that programs have not exchanged for one yet. */
  #endingAccess(ended: Parameters<ReturnType<typeof teamQueries>['endTokens']>[0]): Statement<never>[] {
    const { endSessions, endTokens, denyCodes } = this.#queries;
    return [endSessions(ended), endTokens(ended), denyCodes(ended)];
  }
}

/** The most rules that one sign-in reads, of all workspaces. */
const MAX_RULES_READ = 1_000;

type Joining = Pick<Change<'joined_by_group'>, 'userId' | 'role' | 'atMs'> & {
  readonly group: string | undefined;
};

type Change<Kind extends TeamChange['kind']> = Extract<TeamChange, { kind: Kind }>;

/** An epoch is the revision that raised it, so it never repeats, not even for a member who leaves and returns. */
function epochAfter({ revision }: Team): number {
  return revision + 1;
}

/** A role that may not make keys keeps none, because a key calls without its maker. */
function losesKeys({ role }: { readonly role: Role }): boolean {
  return !may(role, 'api_key.manage_own');
}

function offerOf(head: {
  readonly user_id: string | null;
  readonly offered_at_ms: number | null;
  readonly expires_at_ms: number | null;
}): OwnershipOffer | undefined {
  const { user_id: userId, offered_at_ms: offeredAtMs, expires_at_ms: expiresAtMs } = head;
  if (userId === null || offeredAtMs === null || expiresAtMs === null) return undefined;
  return { userId, offeredAtMs, expiresAtMs };
}

function inviteOf(row: InviteRow): Invite {
  const { emailKey: _, ...invite } = recordOf(row);
  return invite;
}

function groupRoleOf({ group_name: group, role, domains }: GroupRoleRow): GroupRole {
  return { group, role, domains: JSON.parse(domains) as string[] };
}

function rowOfRule(workspaceId: string, { group, role, domains }: GroupRole): GroupRoleRow {
  return { workspace_id: workspaceId, group_name: group, role, domains: JSON.stringify(domains) };
}

function rowOfInvite(invite: Invite): InviteRow {
  return { ...rowOf(invite), email_key: emailKey(invite.email) };
}

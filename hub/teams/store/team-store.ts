import type { AuditEntry } from '@svc/core/audit/entry';
import type { AssignableRole, Invite } from '@svc/core/team/invite';
import type { Team } from '@svc/core/team/team';
import { may, type Role } from '@svc/core/workspace/permissions';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import { teamQueries } from './queries.ts';
import type { InviteRow } from './table.ts';

/** The parts of other stores whose rows a change of a team adds. */
interface TeamParts {
  readonly trail: Pick<AuditTrail, 'commit'>;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/** Members and invitations of a workspace. A change is decided on one revision and stored only on the same revision. */
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
    return {
      workspaceId,
      plan: head.plan,
      revision: head.team_revision,
      members: members.map(({ id, email, role, joined_at_ms }) => ({
        userId: id,
        email,
        role,
        joinedAtMs: joined_at_ms,
      })),
      invites: invites.map(inviteOf),
    };
  }

  async invite(id: string): Promise<Invite | undefined> {
    const row = await firstRow(this.#database, this.#queries.invite({ id }));
    return row && inviteOf(row);
  }

  /** Whether any workspace has an open invitation for this address. */
  async isInvited(email: string, nowMs: number): Promise<boolean> {
    const it = { email_key: email.toLowerCase(), now_ms: nowMs };
    return (await firstRow(this.#database, this.#queries.invited(it))) !== undefined;
  }

  /**
   * Stores the change, its mail and its audit entry in one transaction with all consequences: a removal ends
   * sessions, access tokens and API keys; a new role ends sessions and access tokens, and keys
   * if it has none (reference 3.4, decision 44, sign-in).
   * False, and nothing is stored, when the team has changed since it was loaded.
   */
  async store(team: Team, change: TeamChange, entry: AuditEntry): Promise<boolean> {
    const { workspaceId, revision, plan } = team;
    const claim = this.#queries.claim({ workspace_id: workspaceId, revision, plan });
    const changes = [claim, ...this.#statements(team, change)];
    const unit =
      change.kind === 'removed' || (change.kind === 'role_changed' && losesKeys(change))
        ? makingStale(changes, { kind: 'keys_of_user', userId: change.userId })
        : changes;
    return (await this.#parts.trail.commit(unit, entry)) === 'stored';
  }

  #statements(team: Team, change: TeamChange): readonly Statement<never>[] {
    const { addInvite, setInvite } = this.#queries;
    switch (change.kind) {
      case 'invited':
        return [addInvite(rowOfInvite(change.invite)), this.#parts.mails.adding(change.mail)];
      case 'resent':
        return [setInvite(rowOfInvite(change.invite)), this.#parts.mails.adding(change.mail)];
      case 'withdrawn':
        return [setInvite(rowOfInvite(change.invite))];
      case 'joined':
        return this.#joining(team, change);
      case 'role_changed':
        return [...this.#changingRole(team, change), this.#parts.mails.adding(change.mail)];
      case 'removed':
        return [
          ...this.#removing(team, change),
          ...(change.mail === undefined ? [] : [this.#parts.mails.adding(change.mail)]),
        ];
    }
  }

  #joining(team: Team, { invite, userId, atMs }: Change<'joined'>): Statement<never>[] {
    const member = {
      workspace_id: team.workspaceId,
      user_id: userId,
      role: invite.role,
      epoch: epochAfter(team),
      joined_at_ms: atMs,
    };
    return [this.#queries.setInvite(rowOfInvite(invite)), this.#queries.addMember(member)];
  }

  #changingRole(team: Team, { userId, role, atMs }: Change<'role_changed'>): Statement<never>[] {
    const { setRole, endSessions, endTokens, revokeKeys } = this.#queries;
    const member = { workspace_id: team.workspaceId, user_id: userId };
    const ended = { ...member, now_ms: atMs };
    const end = [setRole({ ...member, role, epoch: epochAfter(team) }), endSessions(ended), endTokens(ended)];
    return losesKeys({ role }) ? [...end, revokeKeys(ended)] : end;
  }

  /** The membership is removed first: a concurrent creation of a key locks its row, so no key appears after the revocation. */
  #removing(team: Team, { userId, atMs }: Change<'removed'>): Statement<never>[] {
    const { removeMember, endSessions, endTokens, revokeKeys } = this.#queries;
    const member = { workspace_id: team.workspaceId, user_id: userId };
    const ended = { ...member, now_ms: atMs };
    return [removeMember(member), endSessions(ended), endTokens(ended), revokeKeys(ended)];
  }
}

type Change<Kind extends TeamChange['kind']> = Extract<TeamChange, { kind: Kind }>;

/** An epoch is the revision that raised it, so it never repeats, not even for a member who leaves and returns. */
function epochAfter({ revision }: Team): number {
  return revision + 1;
}

/** A role that may not make keys keeps none, because a key calls without its maker. */
function losesKeys({ role }: { readonly role: Role }): boolean {
  return !may(role, 'api_key.manage_own');
}

function inviteOf(row: InviteRow): Invite {
  const { emailKey: _, ...invite } = recordOf(row);
  return invite;
}

function rowOfInvite(invite: Invite): InviteRow {
  return { ...rowOf(invite), email_key: invite.email.toLowerCase() };
}

/** A decided change of a team, stored as a whole. */
export type TeamChange =
  | { readonly kind: 'invited' | 'resent'; readonly invite: Invite; readonly mail: OutgoingMail }
  | { readonly kind: 'withdrawn'; readonly invite: Invite }
  | { readonly kind: 'joined'; readonly invite: Invite; readonly userId: string; readonly atMs: number }
  | {
      readonly kind: 'role_changed';
      readonly userId: string;
      readonly role: AssignableRole;
      readonly mail: OutgoingMail;
      readonly atMs: number;
    }
  | {
      readonly kind: 'removed';
      readonly userId: string;
      readonly mail: OutgoingMail | undefined;
      readonly atMs: number;
    };

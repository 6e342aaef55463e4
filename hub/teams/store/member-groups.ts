import type { AuditEntry } from '@svc/core/audit/entry';
import type { Role } from '@svc/core/workspace/permissions';
import type { SignInRule } from '@svc/core/workspace/sign-in-rule';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { Database } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';
import { formerUsernamesIn } from '../../workspaces/store/former-usernames.ts';

/** A membership with the groups that the last sign-in of its person proved. */
export interface MembershipGroups {
  readonly workspaceId: string;
  readonly role: Role;
  readonly viaGroup: string | undefined;
  /** Undefined: the workspace has no sign-in provider of its own. */
  readonly signIn: SignInRule | undefined;
  /** Undefined: the owner of the workspace has not chosen one. */
  readonly username: string | undefined;
  readonly formerUsernames?: readonly string[] | undefined;
  readonly groups: readonly string[];
}

/** The groups of members at the sign-in provider, for grants (decision 94, groups in grants). */
export class MemberGroups {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'commit'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'commit'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = queriesOf(database);
  }

  /** By user id; members without groups are left out. */
  async ofWorkspace(workspaceId: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return new Map(rows.map(({ user_id, group_names }) => [user_id, namesIn(group_names)]));
  }

  /** All memberships of a user. */
  async ofUser(userId: string): Promise<MembershipGroups[]> {
    const rows = await this.#database.rows(this.#queries.ofUser({ user_id: userId }));
    return rows.map(({ workspace_id: workspaceId, username, former_usernames, group_names, ...row }) => ({
      workspaceId,
      role: row.role,
      viaGroup: row.via_group ?? undefined,
      signIn: row.sign_in ?? undefined,
      username: username ?? undefined,
      formerUsernames: formerUsernamesIn(former_usernames),
      groups: namesIn(group_names),
    }));
  }

  /** The groups that grants of a workspace name. */
  async granted(workspaceId: string): Promise<ReadonlySet<string>> {
    const rows = await this.#database.rows(this.#queries.granted({ workspace_id: workspaceId }));
    return new Set(rows.map(({ grantee }) => grantee));
  }

  /** False when the user is no member, or has other groups than `before` by now. Without an entry where no grant is affected. */
  async store(
    { workspaceId, groups: before }: MembershipGroups,
    userId: string,
    after: readonly string[],
    entry: AuditEntry | undefined,
  ): Promise<boolean> {
    const it = { workspace_id: workspaceId, user_id: userId };
    const row = { ...it, before: textOf(before), group_names: textOf(after) };
    const unit = [this.#queries.drop(row), this.#queries.add(row)];
    const stale = makingStale(unit, { kind: 'workspace', id: workspaceId });
    const result =
      entry === undefined ? this.#database.commit(stale) : this.#auditWriter.commit(stale, entry);
    return (await result) === 'stored';
  }
}

const NONE = '[]';

function namesIn(text: string | null): readonly string[] {
  return JSON.parse(text ?? NONE) as string[];
}

/** The same text for the same groups. */
function textOf(groups: readonly string[]): string {
  return JSON.stringify([...new Set(groups)].sort());
}

// A row counts for the membership that it was made for. A hub of the version before removes a member and leaves the row.
function queriesOf({ build }: Database) {
  return {
    ofWorkspace: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('members')
        .innerJoin('member_groups', (join) =>
          join
            .onRef('member_groups.workspace_id', '=', 'members.workspace_id')
            .onRef('member_groups.user_id', '=', 'members.user_id')
            .onRef('member_groups.joined_at_ms', '=', 'members.joined_at_ms'),
        )
        .select(['members.user_id', 'member_groups.group_names'])
        .where('members.workspace_id', '=', it.workspace_id),
    ),
    ofUser: reading((it: { user_id: string }) =>
      build
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
        .leftJoin('member_groups', (join) =>
          join
            .onRef('member_groups.workspace_id', '=', 'members.workspace_id')
            .onRef('member_groups.user_id', '=', 'members.user_id')
            .onRef('member_groups.joined_at_ms', '=', 'members.joined_at_ms'),
        )
        .select([
          'members.workspace_id',
          'members.role',
          'members.via_group',
          'workspaces.sign_in',
          'workspaces.username',
          'workspaces.former_usernames',
          'member_groups.group_names',
        ])
        .where('members.user_id', '=', it.user_id)
        .where('workspaces.deleted_at_ms', 'is', null)
        .orderBy('members.workspace_id'),
    ),
    granted: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('endpoint_grants')
        .select('grantee')
        .distinct()
        .where('workspace_id', '=', it.workspace_id)
        .where('grantee_kind', '=', 'group'),
    ),
    /** Leaves a row of this membership with other groups than `before`, so that the next statement finds it. */
    drop: writing((it: OfMember & { before: string }) =>
      build
        .deleteFrom('member_groups')
        .where('workspace_id', '=', it.workspace_id)
        .where('user_id', '=', it.user_id)
        .where((row) =>
          row.or([
            row('group_names', '=', it.before),
            row(
              'joined_at_ms',
              'not in',
              row
                .selectFrom('members')
                .select('members.joined_at_ms')
                .where('members.workspace_id', '=', it.workspace_id)
                .where('members.user_id', '=', it.user_id),
            ),
          ]),
        ),
    ),
    add: writing(
      (it: OfMember & { before: string; group_names: string }) =>
        build
          .insertInto('member_groups')
          .columns(['workspace_id', 'user_id', 'joined_at_ms', 'group_names'])
          .expression((row) =>
            row
              .selectFrom('members')
              .select(({ val }) => [
                'members.workspace_id',
                'members.user_id',
                'members.joined_at_ms',
                val(it.group_names).as('group_names'),
              ])
              .where('members.workspace_id', '=', it.workspace_id)
              .where('members.user_id', '=', it.user_id),
          )
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'changed' },
    ),
  };
}

type OfMember = { readonly workspace_id: string; readonly user_id: string };

import type { AuditEntry } from '@svc/core/audit/entry';
import type { SignInRule } from '@svc/core/workspace/sign-in-rule';
import { sql } from 'kysely';
import type { AccessToken } from '../../accounts/account-ports.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { Identity, WorkspaceIdentity, WorkspaceProvider } from '../identity-ports.ts';
import type { WorkspaceIdentityRow, WorkspaceProviderRow } from './table.ts';

/** A decided change of the provider of a workspace. */
export interface ProviderChange {
  /** The provider before the change; undefined: there was none. */
  readonly from: WorkspaceProvider | undefined;
  readonly to: WorkspaceProvider;
  readonly rule: SignInRule;
  /** Another issuer or client: sessions that came from the one before end. */
  readonly isOther: boolean;
}

/** The sign-in providers of workspaces, and the people there who are linked to users (decision 92, providers of workspaces). */
export class WorkspaceProviders {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'commit'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'commit'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = queriesOf(database);
  }

  async find(workspaceId: string): Promise<WorkspaceProvider | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ workspace_id: workspaceId }));
    return row && recordOf(row);
  }

  /**
   * Stores the provider and its rule in one transaction, and ends what may not go on: sessions and groups from another provider, and
   * access tokens of members who need a session from this one. False, and nothing is stored, when the provider has changed since it was loaded.
   */
  async set({ from, to, rule, isOther }: ProviderChange, entry: AuditEntry): Promise<boolean> {
    const { add, change, setRule, endSessions, usePresentCallback } = this.#queries;
    const { endTokensOfAll, endTokensOfGroups } = this.#queries;
    const isNew = from === undefined || isOther;
    const { callbackUsername: _, ...stored } = to;
    const row = rowOf(stored);
    const ended = { workspace_id: to.workspaceId, now_ms: entry.atMs };
    const unit = [
      from === undefined ? add(row) : change({ ...row, from_revision: from.revision }),
      setRule({ workspace_id: to.workspaceId, sign_in: rule }),
      ...(isOther ? [endSessions(ended), usePresentCallback(ended)] : []),
      ...(isNew ? [this.#queries.dropGroups(ended)] : []),
      (rule === 'required' ? endTokensOfAll : endTokensOfGroups)(ended),
    ];
    const stale = makingStale(unit, { kind: 'workspace', id: to.workspaceId });
    return (await this.#auditWriter.commit(stale, entry)) === 'stored';
  }

  /**
   * Removes the provider with all links of people, and ends the sessions that came from it. Memberships by its groups become memberships
   * by hand. False when there is none.
   */
  async remove(workspaceId: string, entry: AuditEntry): Promise<boolean> {
    const { drop, dropIdentities, dropGroups, setRule, endSessions, freeMembers } = this.#queries;
    const of = { workspace_id: workspaceId };
    const unit = [
      drop(of),
      dropIdentities(of),
      dropGroups(of),
      setRule({ ...of, sign_in: null }),
      endSessions({ ...of, now_ms: entry.atMs }),
      freeMembers(of),
    ];
    const stale = makingStale(unit, { kind: 'workspace', id: workspaceId });
    return (await this.#auditWriter.commit(stale, entry)) === 'stored';
  }

  /** The expectation, for a larger unit of work, that the provider is the one that signed a person in. */
  staying({ workspaceId, revision }: Pick<WorkspaceProvider, 'workspaceId' | 'revision'>) {
    return this.#queries.stay({ workspace_id: workspaceId, revision });
  }

  /** The same of the link between a person there and a user. */
  stayingLinked({ id, userId }: Pick<WorkspaceIdentity, 'id' | 'userId'>): Statement<'unlinked'> {
    return this.#queries.stayLinked({ id, user_id: userId });
  }

  async identity(
    workspaceId: string,
    issuer: string,
    subject: string,
  ): Promise<WorkspaceIdentity | undefined> {
    const of = { workspace_id: workspaceId, issuer, subject };
    const row = await firstRow(this.#database, this.#queries.identity(of));
    return row && recordOf(row);
  }

  /** The links of a user, with the usernames of their workspaces. */
  async identitiesOf(
    userId: string,
  ): Promise<(WorkspaceIdentity & { readonly workspace: string | undefined })[]> {
    const rows = await this.#database.rows(this.#queries.ofUser({ user_id: userId }));
    return rows.map(recordOf);
  }

  /** `taken`: the identity is linked to a user already. */
  async link(identity: WorkspaceIdentity, entry: AuditEntry): Promise<'stored' | 'taken'> {
    return await this.#auditWriter.commit([this.#queries.link(rowOf(identity))], entry);
  }

  /** False when the user has no such link. `alongside`: more that is stored with it. */
  async unlink(
    { userId, id }: Pick<Identity, 'userId' | 'id'>,
    alongside: readonly Statement<never>[],
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#queries.unlink({ user_id: userId, id }), ...alongside];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** Records a sign-in. */
  async touch(id: string, email: string | undefined, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.touch({ id, email: email ?? null, used_at_ms: nowMs })]);
  }
}

const COLUMNS = [
  'workspace_id',
  'issuer',
  'client_id',
  'sealed_secret',
  'name',
  'scopes',
  'groups_claim',
  'revision',
  'created_at_ms',
  'updated_at_ms',
] as const;
/** Only a change of the username sets the username in the redirect address. */
type StoredProvider = Omit<WorkspaceProviderRow, 'callback_username'>;

const IDENTITY_COLUMNS = [
  'id',
  'workspace_id',
  'issuer',
  'subject',
  'user_id',
  'email',
  'created_at_ms',
  'used_at_ms',
] as const;

interface OfWorkspace {
  readonly workspace_id: string;
}
type Ended = OfWorkspace & { readonly now_ms: number };

function queriesOf(database: Database) {
  return { ...providerQueries(database), ...identityQueries(database), ...endsOf(database) };
}

function providerQueries({ build }: Database) {
  return {
    find: reading((it: OfWorkspace) =>
      build
        .selectFrom('workspace_providers')
        .select([...COLUMNS, 'callback_username'])
        .where('workspace_id', '=', it.workspace_id),
    ),
    add: writing(
      (it: StoredProvider) =>
        build
          .insertInto('workspace_providers')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'changed' },
    ),
    change: writing(
      (it: StoredProvider & { readonly from_revision: number }) =>
        build
          .updateTable('workspace_providers')
          .set(slotsOf(it, COLUMNS))
          .where('workspace_id', '=', it.workspace_id)
          .where('revision', '=', it.from_revision),
      { unlessChanged: 'changed' },
    ),
    usePresentCallback: writing((it: OfWorkspace) =>
      build
        .updateTable('workspace_providers')
        .set({ callback_username: null })
        .where('workspace_id', '=', it.workspace_id),
    ),
    stay: writing(
      (it: OfWorkspace & { readonly revision: number }) =>
        build
          .updateTable('workspace_providers')
          .set({ revision: it.revision })
          .where('workspace_id', '=', it.workspace_id)
          .where('revision', '=', it.revision),
      { unlessChanged: 'changed' },
    ),
    drop: writing(
      (it: OfWorkspace) =>
        build.deleteFrom('workspace_providers').where('workspace_id', '=', it.workspace_id),
      { unlessChanged: 'none' },
    ),
    setRule: writing((it: OfWorkspace & { readonly sign_in: SignInRule | null }) =>
      build
        .updateTable('workspaces')
        .set({ sign_in: it.sign_in, team_revision: sql<number>`team_revision + 1` })
        .where('id', '=', it.workspace_id),
    ),
    /** The groups of members that another provider proved. */
    dropGroups: writing((it: OfWorkspace) =>
      build.deleteFrom('member_groups').where('workspace_id', '=', it.workspace_id),
    ),
    freeMembers: writing((it: OfWorkspace) =>
      build.updateTable('members').set({ via_group: null }).where('workspace_id', '=', it.workspace_id),
    ),
  };
}

function identityQueries({ build }: Database) {
  return {
    identity: reading((it: Pick<WorkspaceIdentityRow, 'workspace_id' | 'issuer' | 'subject'>) =>
      build
        .selectFrom('workspace_identities')
        .select(IDENTITY_COLUMNS)
        .where('workspace_id', '=', it.workspace_id)
        .where('issuer', '=', it.issuer)
        .where('subject', '=', it.subject),
    ),
    ofUser: reading((it: { user_id: string }) =>
      build
        .selectFrom('workspace_identities as linked')
        .innerJoin('workspaces', 'workspaces.id', 'linked.workspace_id')
        .select(['linked.id', 'linked.issuer', 'linked.subject', 'linked.user_id', 'linked.email'])
        .select(['linked.workspace_id', 'linked.created_at_ms', 'linked.used_at_ms'])
        .select('workspaces.username as workspace')
        .where('linked.user_id', '=', it.user_id)
        .where('workspaces.deleted_at_ms', 'is', null)
        .orderBy('linked.id'),
    ),
    link: writing(
      (it: WorkspaceIdentityRow) =>
        build
          .insertInto('workspace_identities')
          .values(slotsOf(it, IDENTITY_COLUMNS))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'taken' },
    ),
    unlink: writing(
      (it: { user_id: string; id: string }) =>
        build.deleteFrom('workspace_identities').where('id', '=', it.id).where('user_id', '=', it.user_id),
      { unlessChanged: 'none' },
    ),
    /** Changes nothing. */
    stayLinked: writing(
      (it: Pick<WorkspaceIdentityRow, 'id' | 'user_id'>) =>
        build
          .updateTable('workspace_identities')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.id)
          .where('user_id', '=', it.user_id),
      { unlessChanged: 'unlinked' },
    ),
    dropIdentities: writing((it: OfWorkspace) =>
      build.deleteFrom('workspace_identities').where('workspace_id', '=', it.workspace_id),
    ),
    touch: writing((it: Pick<WorkspaceIdentityRow, 'id' | 'email' | 'used_at_ms'>) =>
      build
        .updateTable('workspace_identities')
        .set({ email: it.email, used_at_ms: it.used_at_ms })
        .where('id', '=', it.id),
    ),
  };
}

function endsOf({ build }: Database) {
  const ending = (it: Ended, ...kinds: AccessToken['kind'][]) =>
    build
      .updateTable('access_tokens')
      .set({ expires_at_ms: it.now_ms })
      .where('workspace_id', '=', it.workspace_id)
      .where('kind', 'in', kinds)
      .where('expires_at_ms', '>', it.now_ms);
  const others = (it: Ended) =>
    build
      .selectFrom('members')
      .select('user_id')
      .where('workspace_id', '=', it.workspace_id)
      .where('role', '!=', sql.lit('owner'));
  return {
    /** Those from the provider: every other session acts in no single workspace. */
    endSessions: writing((it: Ended) => ending(it, 'session', 'pending')),
    endTokensOfAll: writing((it: Ended) => ending(it, 'personal').where('user_id', 'in', others(it))),
    endTokensOfGroups: writing((it: Ended) =>
      ending(it, 'personal').where('user_id', 'in', others(it).where('via_group', 'is not', null)),
    ),
  };
}

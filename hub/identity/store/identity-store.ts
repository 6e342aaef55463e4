import type { AuditEntry } from '@svc/core/audit/entry';
import type { Accounts, NewUser } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { Identity } from '../identity-ports.ts';
import type { IdentityRow, ProviderSessionRow, UsedSignInRow } from './table.ts';

/** The identities of users at OpenID providers. An identity belongs to one user at most (decision 71, single sign-on). */
export class Identities {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #accounts: Pick<Accounts, 'addingUser'>;
  readonly #credentials: Pick<Credentials, 'endingAccessToken'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(
    database: Database,
    auditWriter: AuditWriter,
    accounts: Pick<Accounts, 'addingUser'>,
    credentials: Pick<Credentials, 'endingAccessToken'>,
  ) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#accounts = accounts;
    this.#credentials = credentials;
    this.#queries = queriesOf(database);
  }

  async find(issuer: string, subject: string): Promise<Identity | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ issuer, subject }));
    return row && recordOf(row);
  }

  async ofUser(userId: string): Promise<Identity[]> {
    return (await this.#database.rows(this.#queries.ofUser({ user_id: userId }))).map(recordOf);
  }

  /**
   * Creates a user with their workspace and identity in one transaction. `exists`: the address has an account, which an
   * identity never enters by itself. `taken`: the identity belongs to a user.
   */
  async createUser(
    user: NewUser,
    identity: Identity,
    entry: AuditEntry,
  ): Promise<'stored' | 'exists' | 'taken'> {
    const unit = [...this.#accounts.addingUser(user), this.#queries.add(rowOf(identity))];
    return await this.#auditWriter.commit(unit, entry);
  }

  /**
   * Gives an identity the account that SCIM made for its address, if no person has entered the account yet. `entered`: one has, or
   * the account is no such one.
   */
  async enter(identity: Identity, entry: AuditEntry): Promise<'stored' | 'entered' | 'taken'> {
    const unit = [this.#queries.enter({ user_id: identity.userId }), this.#queries.add(rowOf(identity))];
    return await this.#auditWriter.commit(unit, entry);
  }

  async link(identity: Identity, entry: AuditEntry): Promise<'stored' | 'taken'> {
    return await this.#auditWriter.commit([this.#queries.add(rowOf(identity))], entry);
  }

  /** False when the user has no such identity. `alongside`: more that is stored with it. */
  async unlink(
    { userId, id }: Pick<Identity, 'userId' | 'id'>,
    alongside: readonly Statement<never>[],
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#queries.remove({ user_id: userId, id }), ...alongside];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /**
   * The statements that end the sessions of a user that came from an identity, except one, which proves no groups any more.
   *
   * @param workspaceId the workspace whose provider knows the identity; undefined: that of the hub
   */
  endingSessionsOf(
    { userId, issuer, subject }: Pick<Identity, 'userId' | 'issuer' | 'subject'>,
    { workspaceId, exceptId, nowMs }: { workspaceId: string | undefined; exceptId: string; nowMs: number },
  ): readonly Statement<never>[] {
    const of = { user_id: userId, issuer, subject, workspace_id: workspaceId ?? '' };
    const { endOfIdentity, endChecks } = this.#queries;
    return [endOfIdentity({ ...of, except_id: exceptId, now_ms: nowMs }), endChecks(of)];
  }

  /** Records a sign-in. */
  async touch(id: string, email: string | undefined, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.touch({ id, email: email ?? null, used_at_ms: nowMs })]);
  }

  /** Uses up the return of a sign-in; false when it was used before. */
  async useSignIn(id: string, expiresAtMs: number): Promise<boolean> {
    return (
      (await this.#database.commit([this.#queries.use({ id, expires_at_ms: expiresAtMs })])) === 'stored'
    );
  }

  async isUsed(id: string): Promise<boolean> {
    return (await firstRow(this.#database, this.#queries.isUsed({ id }))) !== undefined;
  }

  /** Whether a session came from a provider. */
  async isSession(id: string): Promise<boolean> {
    return (await firstRow(this.#database, this.#queries.isSession({ id }))) !== undefined;
  }

  /** The expectation, for the unit that adds a session, that its person has not unlinked the identity meanwhile. */
  stayingLinked({
    issuer,
    subject,
    userId,
  }: Pick<Identity, 'issuer' | 'subject' | 'userId'>): Statement<'unlinked'> {
    return this.#queries.stayLinked({ issuer, subject, user_id: userId });
  }

  /** The statement that notes where a session came from, to be stored with it. */
  addingSession(session: ProviderSession): Statement<never> {
    return this.#queries.addSession(rowOf(session));
  }

  /**
   * The sessions that a sign-out at the provider of the hub, or of a workspace, ends: those of its session `sid`, or of everyone with the
   * subject. A session whose provider named no `sid` belongs to every session of its subject.
   */
  async sessionsOf(
    {
      issuer,
      subject,
      sid,
      workspaceId,
    }: Pick<ProviderSession, 'issuer' | 'sid' | 'workspaceId'> & { readonly subject: string | undefined },
    nowMs: number,
  ): Promise<{ readonly id: string; readonly userId: string }[]> {
    const { ofSubject, ofSid } = this.#queries;
    const now = { issuer, now_ms: nowMs };
    const query = subject === undefined ? ofSid({ ...now, sid: sid ?? '' }) : ofSubject({ ...now, subject });
    const rows = await this.#database.rows(query);
    return rows
      .filter((row) => (row.workspace_id ?? undefined) === workspaceId)
      .filter((row) => sid === undefined || row.sid === null || row.sid === sid)
      .map(({ id, user_id: userId }) => ({ id, userId }));
  }

  /** The open sessions whose groups were last read at this time or before, the oldest first. */
  async sessionsToCheck(checkedUntilMs: number, nowMs: number, limit: number): Promise<SessionToCheck[]> {
    const query = this.#queries.toCheck({ until_ms: checkedUntilMs, now_ms: nowMs, limit });
    const rows = await this.#database.rows(query);
    return rows.map((row) => {
      const { sealedRefresh = '', checkedAtMs = 0, ...session } = recordOf(row);
      return { ...session, sealedRefresh, checkedAtMs };
    });
  }

  /** Takes a check for this hub; false when another hub, or an earlier round, has it. */
  async claimCheck({ id, checkedAtMs }: SessionToCheck, nowMs: number): Promise<boolean> {
    const claim = { id, from_ms: checkedAtMs, now_ms: nowMs };
    return (await this.#database.commit([this.#queries.claimCheck(claim)])) === 'stored';
  }

  /** Stores the refresh token that replaces the one before. */
  async renewCheck(id: string, sealedRefresh: string): Promise<void> {
    await this.#database.commit([this.#queries.renewCheck({ id, sealed_refresh: sealedRefresh })]);
  }

  /** Ends sessions; without an entry for users who are in no workspace. */
  async endSessions(ids: readonly string[], nowMs: number, entry: AuditEntry | undefined): Promise<void> {
    const unit = ids.map((id) => this.#credentials.endingAccessToken(id, nowMs));
    if (entry === undefined) await this.#database.commit(unit);
    else await this.#auditWriter.commit(unit, entry);
  }
}

/** Where a session of a browser came from. */
export interface ProviderSession {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly sid: string | undefined;
  readonly userId: string;
  readonly expiresAtMs: number;
  /** The workspace whose provider it is; undefined: that of the hub. */
  readonly workspaceId: string | undefined;
  /** The sealed refresh token; undefined: the groups of the person are read at a sign-in only. */
  readonly sealedRefresh: string | undefined;
  /** When the groups were last read. */
  readonly checkedAtMs: number | undefined;
}

/** A session whose groups can be read again. */
export interface SessionToCheck extends Omit<ProviderSession, 'sid' | 'expiresAtMs'> {
  readonly sealedRefresh: string;
  readonly checkedAtMs: number;
}

const SESSION_COLUMNS = [
  ...(['id', 'issuer', 'subject', 'sid', 'user_id', 'expires_at_ms'] as const),
  ...(['workspace_id', 'sealed_refresh', 'checked_at_ms'] as const),
];

const COLUMNS = ['id', 'issuer', 'subject', 'user_id', 'email', 'created_at_ms', 'used_at_ms'] as const;

interface OfIdentity {
  readonly user_id: string;
  readonly issuer: string;
  readonly subject: string;
  /** Empty: the provider of the hub. */
  readonly workspace_id: string;
}

function queriesOf({ build }: Database) {
  const identities = build.selectFrom('identities').select(COLUMNS);
  const sessions = build.selectFrom('provider_sessions').select(['id', 'user_id', 'sid', 'workspace_id']);
  return {
    isUsed: reading((it: { id: string }) =>
      build.selectFrom('used_sign_ins').select('id').where('id', '=', it.id),
    ),
    addSession: writing((it: ProviderSessionRow) =>
      build.insertInto('provider_sessions').values(slotsOf(it, SESSION_COLUMNS)),
    ),
    isSession: reading((it: { id: string }) =>
      build.selectFrom('provider_sessions').select('id').where('id', '=', it.id),
    ),
    toCheck: reading((it: { until_ms: number; now_ms: number; limit: number }) =>
      build
        .selectFrom('provider_sessions as checked')
        .innerJoin('access_tokens', 'access_tokens.id', 'checked.id')
        .select(['checked.id', 'checked.issuer', 'checked.subject', 'checked.user_id'])
        .select(['checked.workspace_id', 'checked.sealed_refresh', 'checked.checked_at_ms'])
        .where('checked.sealed_refresh', 'is not', null)
        .where('checked.checked_at_ms', '<=', it.until_ms)
        .where('access_tokens.expires_at_ms', '>', it.now_ms)
        .orderBy('checked.checked_at_ms')
        .limit(it.limit),
    ),
    endOfIdentity: writing((it: OfIdentity & { except_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('id', 'in', (row) =>
          row
            .selectFrom('provider_sessions')
            .select('provider_sessions.id')
            .where('provider_sessions.user_id', '=', it.user_id)
            .where('issuer', '=', it.issuer)
            .where('subject', '=', it.subject)
            .where((of) =>
              of(of.fn.coalesce('provider_sessions.workspace_id', of.val('')), '=', it.workspace_id),
            ),
        )
        .where('id', '!=', it.except_id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    endChecks: writing((it: OfIdentity) =>
      build
        .updateTable('provider_sessions')
        .set({ sealed_refresh: null, checked_at_ms: null })
        .where('user_id', '=', it.user_id)
        .where('issuer', '=', it.issuer)
        .where('subject', '=', it.subject)
        .where((row) => row(row.fn.coalesce('workspace_id', row.val('')), '=', it.workspace_id)),
    ),
    claimCheck: writing(
      (it: { id: string; from_ms: number; now_ms: number }) =>
        build
          .updateTable('provider_sessions')
          .set({ checked_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('checked_at_ms', '=', it.from_ms),
      { unlessChanged: 'taken' },
    ),
    renewCheck: writing((it: { id: string; sealed_refresh: string }) =>
      build
        .updateTable('provider_sessions')
        .set({ sealed_refresh: it.sealed_refresh })
        .where('id', '=', it.id)
        // The person may have unlinked the sign-in meanwhile.
        .where('sealed_refresh', 'is not', null),
    ),
    ofSubject: reading((it: { issuer: string; subject: string; now_ms: number }) =>
      sessions
        .where('issuer', '=', it.issuer)
        .where('subject', '=', it.subject)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    ofSid: reading((it: { issuer: string; sid: string; now_ms: number }) =>
      sessions
        .where('issuer', '=', it.issuer)
        .where('sid', '=', it.sid)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    find: reading((it: { issuer: string; subject: string }) =>
      identities.where('issuer', '=', it.issuer).where('subject', '=', it.subject),
    ),
    ofUser: reading((it: { user_id: string }) => identities.where('user_id', '=', it.user_id).orderBy('id')),
    add: writing(
      (it: IdentityRow) =>
        build
          .insertInto('identities')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'taken' },
    ),
    /** A hub of the version before does not note that a person has entered; the session that it made is noted in any case. */
    enter: writing(
      (it: { user_id: string }) =>
        build
          .deleteFrom('unentered_accounts')
          .where('user_id', '=', it.user_id)
          .where((row) =>
            row.not(
              row.exists(
                row.selectFrom('access_tokens').select('id').where('access_tokens.user_id', '=', it.user_id),
              ),
            ),
          ),
      { unlessChanged: 'entered' },
    ),
    remove: writing(
      (it: { user_id: string; id: string }) =>
        build.deleteFrom('identities').where('id', '=', it.id).where('user_id', '=', it.user_id),
      { unlessChanged: 'none' },
    ),
    /** Changes nothing. */
    stayLinked: writing(
      (it: Pick<IdentityRow, 'issuer' | 'subject' | 'user_id'>) =>
        build
          .updateTable('identities')
          .set((row) => ({ email: row.ref('email') }))
          .where('issuer', '=', it.issuer)
          .where('subject', '=', it.subject)
          .where('user_id', '=', it.user_id),
      { unlessChanged: 'unlinked' },
    ),
    touch: writing((it: Pick<IdentityRow, 'id' | 'email' | 'used_at_ms'>) =>
      build
        .updateTable('identities')
        .set({ email: it.email, used_at_ms: it.used_at_ms })
        .where('id', '=', it.id),
    ),
    use: writing(
      (it: UsedSignInRow) =>
        build
          .insertInto('used_sign_ins')
          .values(slotsOf(it, ['id', 'expires_at_ms']))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'used' },
    ),
  };
}

import type { AuditEntry } from '@svc/core/audit/entry';
import type { Accounts, NewUser } from '../../accounts/store/account-store.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { Identity } from '../identity-ports.ts';
import type { IdentityRow, UsedSignInRow } from './table.ts';

/** The identities of users at OpenID providers. An identity belongs to one user at most (decision 71, single sign-on). */
export class Identities {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #accounts: Pick<Accounts, 'addingUser'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: AuditWriter, accounts: Pick<Accounts, 'addingUser'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#accounts = accounts;
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

  /** The expectation, for the unit that adds a session, that its person has not unlinked the identity meanwhile. */
  stayingLinked({
    issuer,
    subject,
    userId,
  }: Pick<Identity, 'issuer' | 'subject' | 'userId'>): Statement<'unlinked'> {
    return this.#queries.stayLinked({ issuer, subject, user_id: userId });
  }
}

const COLUMNS = ['id', 'issuer', 'subject', 'user_id', 'email', 'created_at_ms', 'used_at_ms'] as const;

function queriesOf({ build }: Database) {
  const identities = build.selectFrom('identities').select(COLUMNS);
  return {
    isUsed: reading((it: { id: string }) =>
      build.selectFrom('used_sign_ins').select('id').where('id', '=', it.id),
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

import type { AuditEntry } from '@svc/core/audit/entry';
import { MAX_PASSKEYS } from '@svc/core/passkey/relying-party';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { Passkey, PasskeyUse } from '../passkey-ports.ts';
import type { PasskeyRow } from './table.ts';

interface PasskeyStoreDeps {
  readonly auditWriter: AuditWriter;
  readonly credentials: Pick<Credentials, 'endingSessionsOfPasskey' | 'stayingOpen'>;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/** The passkeys of users (decision 86, passkeys). */
export class Passkeys {
  readonly #database: Database;
  readonly #deps: PasskeyStoreDeps;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, deps: PasskeyStoreDeps) {
    this.#database = database;
    this.#deps = deps;
    this.#queries = queriesOf(database);
  }

  async byCredential(credentialId: string): Promise<Passkey | undefined> {
    const row = await firstRow(this.#database, this.#queries.byCredential({ credential_id: credentialId }));
    return row && recordOf(row);
  }

  async ofUser(userId: string): Promise<Passkey[]> {
    return (await this.#database.rows(this.#queries.ofUser({ user_id: userId }))).map(recordOf);
  }

  /**
   * Stores a passkey together with the mail about it. `full`: the user has as many as they may. `taken`: its credential is
   * registered. `ended`: the session that adds it has ended meanwhile. The entry has to be in the user's own workspace: additions of one
   * user then follow one another.
   */
  async add(
    passkey: Passkey,
    { sessionId, mail }: { readonly sessionId: string; readonly mail: OutgoingMail },
    entry: AuditEntry,
  ): Promise<'stored' | 'full' | 'taken' | 'ended'> {
    const unit = [
      this.#deps.credentials.stayingOpen(sessionId, entry.atMs),
      this.#queries.hasRoom({ user_id: passkey.userId }),
      this.#queries.add(rowOf(passkey)),
      this.#deps.mails.adding(mail),
    ];
    return await this.#deps.auditWriter.commit(unit, entry);
  }

  /**
   * The statement that records a use, for the unit that adds the session, so that no session outlives a removed passkey.
   * Compare-and-set on the counter: `changed` when another use was first, or the passkey was removed.
   */
  using({ id, counter }: Passkey, used: PasskeyUse): Statement<'changed'> {
    const { counter: new_counter, isBackedUp: is_backed_up, usedAtMs: now_ms } = used;
    return this.#queries.use({ id, counter, new_counter, is_backed_up, now_ms });
  }

  /** The statement that removes the passkeys of a user, for a larger unit of work. */
  removingAll(userId: string): Statement<never> {
    return this.#queries.removeAll({ user_id: userId });
  }

  /** False when the user has no such passkey. */
  async rename({ userId, id }: Passkey, name: string, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.rename({ user_id: userId, id, name })];
    return (await this.#deps.auditWriter.commit(unit, entry)) === 'stored';
  }

  /**
   * Removes a passkey, and ends the sessions that began with it, except one. `none`: the user has no such passkey. `last`: the user
   * has a second factor, and this is their last passkey. The entry must be in the user's own workspace, whose lock puts removals in
   * an order.
   */
  async remove(
    { userId, id }: Passkey,
    exceptSession: string,
    entry: AuditEntry,
  ): Promise<'stored' | 'none' | 'last'> {
    const ended = { passkey_id: id, except_id: exceptSession, now_ms: entry.atMs };
    const unit = [
      this.#queries.remove({ user_id: userId, id }),
      this.#queries.hasEnough({ user_id: userId }),
      this.#deps.credentials.endingSessionsOfPasskey(ended),
    ];
    return await this.#deps.auditWriter.commit(unit, entry);
  }
}

const COLUMNS = [
  'id',
  'user_id',
  'credential_id',
  'public_key',
  'counter',
  'is_backed_up',
  'name',
  'created_at_ms',
  'used_at_ms',
] as const;

function queriesOf({ build }: Database) {
  const passkeys = build.selectFrom('passkeys').select(COLUMNS);
  return {
    byCredential: reading((it: { credential_id: string }) =>
      passkeys.where('credential_id', '=', it.credential_id),
    ),
    ofUser: reading((it: { user_id: string }) => passkeys.where('user_id', '=', it.user_id).orderBy('id')),
    /** Changes nothing. Finds no user who has as many passkeys as they may. */
    hasRoom: writing(
      (it: { user_id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.user_id)
          .where(
            (row) =>
              row
                .selectFrom('passkeys')
                .select((one) => one.fn.countAll<number>().as('count'))
                .where('user_id', '=', it.user_id),
            '<',
            MAX_PASSKEYS,
          ),
      { unlessChanged: 'full' },
    ),
    add: writing(
      (it: PasskeyRow) =>
        build
          .insertInto('passkeys')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) => conflict.doNothing()),
      { unlessChanged: 'taken' },
    ),
    use: writing(
      (it: { id: string; counter: number; new_counter: number; is_backed_up: number; now_ms: number }) =>
        build
          .updateTable('passkeys')
          .set({ counter: it.new_counter, is_backed_up: it.is_backed_up, used_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('counter', '=', it.counter),
      { unlessChanged: 'changed' },
    ),
    rename: writing(
      (it: { user_id: string; id: string; name: string }) =>
        build
          .updateTable('passkeys')
          .set({ name: it.name })
          .where('id', '=', it.id)
          .where('user_id', '=', it.user_id),
      { unlessChanged: 'none' },
    ),
    /** Changes nothing. Finds no row for a user with a second factor and no passkey. */
    hasEnough: writing(
      (it: { user_id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.user_id)
          .where((row) =>
            row.or([
              row('second_factor_since_ms', 'is', null),
              row.exists(row.selectFrom('passkeys').select('id').where('user_id', '=', it.user_id)),
            ]),
          ),
      { unlessChanged: 'last' },
    ),
    removeAll: writing((it: { user_id: string }) =>
      build.deleteFrom('passkeys').where('user_id', '=', it.user_id),
    ),
    remove: writing(
      (it: { user_id: string; id: string }) =>
        build.deleteFrom('passkeys').where('id', '=', it.id).where('user_id', '=', it.user_id),
      { unlessChanged: 'none' },
    ),
  };
}

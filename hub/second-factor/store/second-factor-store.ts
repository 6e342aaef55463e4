import type { AuditEntry } from '@svc/core/audit/entry';
import type { AccessToken } from '../../accounts/account-ports.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { UsedPasskey } from '../../passkeys/passkey-ports.ts';
import type { Passkeys } from '../../passkeys/store/passkey-store.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { RecoveryCodeRow } from './table.ts';

/** What proves a second factor: a use of a passkey, or the hash of a recovery code. */
export type Proof =
  | { readonly kind: 'passkey'; readonly used: UsedPasskey }
  | { readonly kind: 'recovery_code'; readonly hash: string };

/** `changed`: the passkey was removed, or another use was first. `used`: there is no such code, or it was used. */
type Unproved = 'changed' | 'used';

/** A change of the second factor of one user. */
export interface FactorChange {
  readonly userId: string;
  /** The workspaces of the user, whose cached rights are dropped. */
  readonly workspaceIds: readonly string[];
  readonly mail: OutgoingMail;
  readonly entry: AuditEntry;
}

interface Parts {
  readonly auditWriter: AuditWriter;
  readonly credentials: Pick<Credentials, 'confirmingSession' | 'endingSessionsExcept' | 'stayingOpen'>;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
  readonly passkeys: Pick<Passkeys, 'removingAll' | 'using'>;
}

/** The second factors of users, and their recovery codes (decision 100, second factor). */
export class SecondFactors {
  readonly #database: Database;
  readonly #parts: Parts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: Parts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  /** When a user switched the second factor on; undefined: it is off. */
  async since(userId: string): Promise<number | undefined> {
    const row = await firstRow(this.#database, this.#queries.since({ user_id: userId }));
    return row?.second_factor_since_ms ?? undefined;
  }

  /** How many recovery codes a user has not used. */
  async codesLeft(userId: string): Promise<number> {
    const row = await firstRow(this.#database, this.#queries.codesLeft({ user_id: userId }));
    return Number(row?.count ?? 0);
  }

  /**
   * Switches the factor on with new codes, and ends the other sessions of the user, because one factor began them. `on`: it was on
   * already. `ended`: the present session has ended meanwhile.
   */
  async switchOn(
    { userId, entry, mail, workspaceIds }: FactorChange,
    { proof, hashes, sessionId }: { proof: Proof; hashes: readonly string[]; sessionId: string },
  ): Promise<'stored' | Unproved | 'on' | 'ended'> {
    const it = { user_id: userId, now_ms: entry.atMs };
    return await this.#commit(workspaceIds, entry, [
      this.#parts.credentials.stayingOpen(sessionId, entry.atMs),
      this.#queries.switchOn(it),
      this.#proving(userId, proof, entry.atMs),
      ...this.#replacingCodes(userId, hashes, entry.atMs),
      this.#parts.credentials.endingSessionsExcept({ ...it, except_id: sessionId }),
      this.#parts.mails.adding(mail),
    ]);
  }

  /** `off`: the factor is off already. `demanded`: the user owns a workspace that demands a second factor. */
  async switchOff(
    { userId, entry, mail, workspaceIds }: FactorChange,
    proof: Proof,
  ): Promise<'stored' | Unproved | 'off' | 'demanded'> {
    const it = { user_id: userId };
    return await this.#commit(workspaceIds, entry, [
      // Locks the user, so that the next statement sees a demand that was stored meanwhile.
      this.#queries.isOn(it),
      this.#queries.switchOff(it),
      this.#proving(userId, proof, entry.atMs),
      this.#queries.dropCodes(it),
      this.#parts.mails.adding(mail),
    ]);
  }

  /** Switches the factor off without a proof, for the operator, with the passkeys and sessions of the user. `off`: it is off. */
  async reset({ userId, entry, mail, workspaceIds }: FactorChange): Promise<'stored' | 'off'> {
    const it = { user_id: userId };
    return await this.#commit(workspaceIds, entry, [
      this.#queries.isOn(it),
      this.#queries.reset(it),
      this.#queries.dropCodes(it),
      this.#parts.passkeys.removingAll(userId),
      // The machine of the operator may have another clock than the hubs, so the sessions end before any time.
      this.#parts.credentials.endingSessionsExcept({ ...it, except_id: '', now_ms: 0 }),
      this.#parts.mails.adding(mail),
    ]);
  }

  /** Replaces the codes of a user. `off`: the factor is off. */
  async renewCodes(
    { userId, entry, mail }: Omit<FactorChange, 'workspaceIds'>,
    { proof, hashes }: { proof: Proof; hashes: readonly string[] },
  ): Promise<'stored' | Unproved | 'off'> {
    const unit = [
      this.#queries.isOn({ user_id: userId }),
      this.#proving(userId, proof, entry.atMs),
      ...this.#replacingCodes(userId, hashes, entry.atMs),
      this.#parts.mails.adding(mail),
    ];
    return await this.#parts.auditWriter.commit(unit, entry);
  }

  /**
   * Turns a pending session into a full one with a new token. `over`: the session has ended, or is full already.
   *
   * @param mail reports the use of a recovery code
   */
  async confirmSession(
    { id, userId }: Pick<AccessToken, 'id' | 'userId'>,
    { hash, last4 }: Pick<AccessToken, 'hash' | 'last4'>,
    { proof, mail, entry }: { proof: Proof; mail: OutgoingMail | undefined; entry: AuditEntry },
  ): Promise<'stored' | Unproved | 'over'> {
    const passkeyId = proof.kind === 'passkey' ? proof.used.passkey.id : null;
    const confirmed = { id, hash, last4, passkey_id: passkeyId, now_ms: entry.atMs };
    const unit = [
      this.#parts.credentials.confirmingSession(confirmed),
      this.#proving(userId, proof, entry.atMs),
      ...(mail === undefined ? [] : [this.#parts.mails.adding(mail)]),
    ];
    return await this.#parts.auditWriter.commit(unit, entry);
  }

  #proving(userId: string, proof: Proof, nowMs: number): Statement<Unproved> {
    if (proof.kind === 'passkey') return this.#parts.passkeys.using(proof.used.passkey, proof.used.use);
    return this.#queries.useCode({ user_id: userId, hash: proof.hash, now_ms: nowMs });
  }

  #replacingCodes(userId: string, hashes: readonly string[], nowMs: number): Statement<never>[] {
    const code = { user_id: userId, made_at_ms: nowMs, used_at_ms: null };
    return [
      this.#queries.dropCodes({ user_id: userId }),
      ...hashes.map((hash) => this.#queries.addCode({ ...code, hash })),
    ];
  }

  #commit<Tag extends string>(
    workspaceIds: readonly string[],
    entry: AuditEntry,
    unit: readonly Statement<Tag>[],
  ): Promise<Tag | 'stored'> {
    const stale = workspaceIds.map((id) => ({ kind: 'workspace', id }) as const);
    return this.#parts.auditWriter.commit(makingStale(unit, ...stale), entry);
  }
}

const CODE_COLUMNS = ['user_id', 'hash', 'made_at_ms', 'used_at_ms'] as const;

interface OfUser {
  readonly user_id: string;
}

function queriesOf({ build }: Database) {
  const usersWithFactor = (it: OfUser) =>
    build.updateTable('users').where('id', '=', it.user_id).where('second_factor_since_ms', 'is not', null);
  return {
    since: reading((it: OfUser) =>
      build.selectFrom('users').select('second_factor_since_ms').where('id', '=', it.user_id),
    ),
    codesLeft: reading((it: OfUser) =>
      build
        .selectFrom('recovery_codes')
        .select((row) => row.fn.countAll<number>().as('count'))
        .where('user_id', '=', it.user_id)
        .where('used_at_ms', 'is', null),
    ),
    switchOn: writing(
      (it: OfUser & { now_ms: number }) =>
        build
          .updateTable('users')
          .set({ second_factor_since_ms: it.now_ms })
          .where('id', '=', it.user_id)
          .where('second_factor_since_ms', 'is', null),
      { unlessChanged: 'on' },
    ),
    /** Changes nothing. Finds a user only if their factor is on. */
    isOn: writing((it: OfUser) => usersWithFactor(it).set((row) => ({ email: row.ref('email') })), {
      unlessChanged: 'off',
    }),
    switchOff: writing(
      (it: OfUser) =>
        usersWithFactor(it)
          .set({ second_factor_since_ms: null })
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom('workspaces')
                  .select('workspaces.id')
                  .where('workspaces.owner_id', '=', it.user_id)
                  .where('workspaces.second_factor', 'is not', null)
                  .where('workspaces.deleted_at_ms', 'is', null),
              ),
            ),
          ),
      { unlessChanged: 'demanded' },
    ),
    reset: writing((it: OfUser) => usersWithFactor(it).set({ second_factor_since_ms: null })),
    dropCodes: writing((it: OfUser) => build.deleteFrom('recovery_codes').where('user_id', '=', it.user_id)),
    addCode: writing((it: RecoveryCodeRow) =>
      build.insertInto('recovery_codes').values(slotsOf(it, CODE_COLUMNS)),
    ),
    useCode: writing(
      (it: OfUser & { hash: string; now_ms: number }) =>
        build
          .updateTable('recovery_codes')
          .set({ used_at_ms: it.now_ms })
          .where('user_id', '=', it.user_id)
          .where('hash', '=', it.hash)
          .where('used_at_ms', 'is', null),
      { unlessChanged: 'used' },
    ),
  };
}

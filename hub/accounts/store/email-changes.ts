import { emailKey } from '@svc/core/account/email-address';
import type { EmailChange } from '@svc/core/account/email-change';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { EmailChangeRow } from './table.ts';

interface EmailChangeParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/** Changes of the addresses of accounts. An answer is stored only if the revision on which it was decided is still the present one. */
export class EmailChanges {
  readonly #database: Database;
  readonly #parts: EmailChangeParts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: EmailChangeParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  async find(id: string): Promise<EmailChange | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id }));
    return row && recordOf(row);
  }

  async pendingOf(userId: string, nowMs: number): Promise<EmailChange | undefined> {
    const row = await firstRow(this.#database, this.#queries.pendingOf({ user_id: userId, now_ms: nowMs }));
    return row && recordOf(row);
  }

  /** Stores a new change with its mails, and ends the pending one. False when the address of the account has changed meanwhile. */
  async add(change: EmailChange, mails: readonly OutgoingMail[], entry: AuditEntry): Promise<boolean> {
    const { add, claimAddress, replacePending } = this.#queries;
    const from_key = emailKey(change.fromEmail);
    const unit = [
      // Locks the user, so that the second of two requests at the same moment replaces the change of the first.
      claimAddress({ user_id: change.userId, from_key }),
      replacePending({ user_id: change.userId, now_ms: change.createdAtMs }),
      add({ ...rowOf(change), from_key }),
      ...this.#adding(mails),
    ];
    return (await this.#parts.auditWriter.commit(unit, entry)) === 'stored';
  }

  /** Stores an answer that leaves the address as it is. False when another answer was first. */
  async answer(
    seen: EmailChange,
    answered: Pick<EmailChange, 'state' | 'oldConfirmedAtMs' | 'newConfirmedAtMs' | 'closedAtMs'>,
    mails: readonly OutgoingMail[],
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#queries.answer(answerOf(seen, answered)), ...this.#adding(mails)];
    return (await this.#parts.auditWriter.commit(unit, entry)) === 'stored';
  }

  /**
   * Stores the last confirmation, and gives the account its new address, in one transaction. Withdraws the invitations to the old
   * address: it has no account after the change, so their links alone would make one.
   */
  complete(
    seen: EmailChange,
    answered: Pick<EmailChange, 'oldConfirmedAtMs' | 'newConfirmedAtMs' | 'closedAtMs'>,
    mails: readonly OutgoingMail[],
    entry: AuditEntry,
  ): Promise<'stored' | 'answered' | 'moved' | 'taken'> {
    const { answer, raiseInviting, setEmail, withdrawInvites } = this.#queries;
    const invited = { email_key: emailKey(seen.fromEmail), now_ms: entry.atMs };
    const unit = [
      answer(answerOf(seen, { ...answered, state: 'done' })),
      // Comes before the user, as every change of a team locks its workspace first.
      raiseInviting(invited),
      withdrawInvites(invited),
      setEmail({
        user_id: seen.userId,
        from_key: emailKey(seen.fromEmail),
        email: seen.toEmail,
        email_key: emailKey(seen.toEmail),
      }),
      ...this.#adding(mails),
    ];
    return this.#parts.auditWriter.commit(unit, entry);
  }

  #adding(mails: readonly OutgoingMail[]): Statement<never>[] {
    return mails.map((mail) => this.#parts.mails.adding(mail));
  }
}

function answerOf(
  { id, revision }: EmailChange,
  answered: Pick<EmailChange, 'state' | 'oldConfirmedAtMs' | 'newConfirmedAtMs' | 'closedAtMs'>,
) {
  return {
    id,
    revision,
    state: answered.state,
    old_confirmed_at_ms: answered.oldConfirmedAtMs ?? null,
    new_confirmed_at_ms: answered.newConfirmedAtMs ?? null,
    closed_at_ms: answered.closedAtMs ?? null,
  };
}

const COLUMNS = [
  'id',
  'user_id',
  'from_email',
  'to_email',
  'state',
  'revision',
  'created_at_ms',
  'expires_at_ms',
  'old_confirmed_at_ms',
  'new_confirmed_at_ms',
  'closed_at_ms',
] as const;

interface Invited {
  readonly email_key: string;
  readonly now_ms: number;
}

function queriesOf({ build }: Database) {
  const changes = build.selectFrom('email_changes').select(COLUMNS);
  return {
    find: reading((it: { id: string }) => changes.where('id', '=', it.id)),
    pendingOf: reading((it: { user_id: string; now_ms: number }) =>
      changes
        .where('user_id', '=', it.user_id)
        .where('state', '=', 'pending')
        .where('expires_at_ms', '>', it.now_ms),
    ),
    claimAddress: writing(
      (it: { user_id: string; from_key: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.user_id)
          .where('email_key', '=', it.from_key),
      { unlessChanged: 'moved' },
    ),
    replacePending: writing((it: { user_id: string; now_ms: number }) =>
      build
        .updateTable('email_changes')
        .set((row) => ({ state: 'replaced', closed_at_ms: it.now_ms, revision: row('revision', '+', 1) }))
        .where('user_id', '=', it.user_id)
        .where('state', '=', 'pending'),
    ),
    add: writing((it: EmailChangeRow) =>
      build.insertInto('email_changes').values(slotsOf(it, [...COLUMNS, 'from_key'])),
    ),
    answer: writing(
      (it: ReturnType<typeof answerOf>) =>
        build
          .updateTable('email_changes')
          .set((row) => ({
            state: it.state,
            old_confirmed_at_ms: it.old_confirmed_at_ms,
            new_confirmed_at_ms: it.new_confirmed_at_ms,
            closed_at_ms: it.closed_at_ms,
            revision: row('revision', '+', 1),
          }))
          .where('id', '=', it.id)
          .where('state', '=', 'pending')
          .where('revision', '=', it.revision),
      { unlessChanged: 'answered' },
    ),
    setEmail: writing(
      (it: { user_id: string; from_key: string; email: string; email_key: string }) =>
        build
          .updateTable('users')
          .set({ email: it.email, email_key: it.email_key })
          .where('id', '=', it.user_id)
          .where('email_key', '=', it.from_key),
      { unlessChanged: 'moved', ifExists: 'taken' },
    ),
    // A team that was loaded before does not store the answer to an invitation that is withdrawn here.
    raiseInviting: writing((it: Invited) =>
      build
        .updateTable('workspaces')
        .set((row) => ({ team_revision: row('team_revision', '+', 1) }))
        .where('id', 'in', (of) =>
          of
            .selectFrom('invites')
            .select('workspace_id')
            .where('email_key', '=', it.email_key)
            .where('state', '=', 'pending'),
        ),
    ),
    withdrawInvites: writing((it: Invited) =>
      build
        .updateTable('invites')
        .set({ state: 'withdrawn', closed_at_ms: it.now_ms })
        .where('email_key', '=', it.email_key)
        .where('state', '=', 'pending'),
    ),
  };
}

import type { ClaimedMail, MailOutbox, OutgoingMail } from '../engine/ports/accounts.ts';
import { type Database, firstRow } from './database.ts';
import type { MailRow } from './tables.ts';
import { reading, slotsOf, writing } from './unit/precompile.ts';
import type { Statement } from './unit/statement.ts';

export class StoredMailOutbox implements MailOutbox {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async add(mail: OutgoingMail): Promise<void> {
    await this.#database.commit([this.adding(mail)]);
  }

  /** The statement that adds it, for a unit that stores more than this. */
  adding({ id, to, subject, text, html, createdAtMs }: OutgoingMail): Statement<never> {
    return this.#queries.add({
      id,
      recipient: to,
      subject,
      body_text: text,
      body_html: html,
      created_at_ms: createdAtMs,
      sent_at_ms: null,
      next_at_ms: createdAtMs,
      tries: 0,
      error: null,
    });
  }

  async recent(limit: number) {
    const rows = await this.#database.rows(this.#queries.recent({ limit }));
    return rows.map((row) => ({ ...mailOf(row), sentAtMs: row.sent_at_ms ?? undefined }));
  }

  async waiting(limit: number): Promise<OutgoingMail[]> {
    return (await this.#database.rows(this.#queries.waiting({ limit }))).map(mailOf);
  }

  async find(id: string): Promise<OutgoingMail | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id }));
    return row && mailOf(row);
  }

  async claimDue(nowMs: number, untilMs: number): Promise<ClaimedMail | undefined> {
    for (;;) {
      const row = await firstRow(this.#database, this.#queries.due({ now_ms: nowMs }));
      if (row === undefined) return undefined;
      const { id, next_at_ms: dueMs, tries } = row;
      const claim = this.#queries.claim({ id, due_ms: dueMs, until_ms: untilMs });
      if ((await this.#database.commit([claim])) === 'stored') return { ...mailOf(row), tries };
      // Another hub was faster: there may be others.
    }
  }

  async sent(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.sent({ id, now_ms: nowMs })]);
  }

  async failed(id: string, nextAtMs: number, error: string): Promise<void> {
    await this.#database.commit([this.#queries.failed({ id, next_at_ms: nextAtMs, error })]);
  }
}

function mailOf(row: MailRow): OutgoingMail {
  return {
    id: row.id,
    to: row.recipient,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    createdAtMs: row.created_at_ms,
  };
}

const COLUMNS = [
  'id',
  'recipient',
  'subject',
  'body_text',
  'body_html',
  'created_at_ms',
  'sent_at_ms',
  'next_at_ms',
  'tries',
  'error',
] as const;

function queriesOf({ build }: Database) {
  const mails = build.selectFrom('mails').select(COLUMNS);
  return {
    add: writing((it: MailRow) => build.insertInto('mails').values(slotsOf(it, COLUMNS))),
    recent: reading((it: { limit: number }) =>
      mails.orderBy('created_at_ms', 'desc').orderBy('id', 'desc').limit(it.limit),
    ),
    waiting: reading((it: { limit: number }) =>
      mails
        .where('sent_at_ms', 'is', null)
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(it.limit),
    ),
    find: reading((it: { id: string }) => mails.where('id', '=', it.id)),
    due: reading((it: { now_ms: number }) =>
      mails
        .where('sent_at_ms', 'is', null)
        .where('next_at_ms', '<=', it.now_ms)
        .orderBy('next_at_ms')
        .limit(1),
    ),
    claim: writing(
      (it: { id: string; due_ms: number; until_ms: number }) =>
        build
          .updateTable('mails')
          .set({ next_at_ms: it.until_ms })
          .where('id', '=', it.id)
          .where('next_at_ms', '=', it.due_ms)
          .where('sent_at_ms', 'is', null),
      { unlessChanged: 'claimed' },
    ),
    sent: writing((it: { id: string; now_ms: number }) =>
      build.updateTable('mails').set({ sent_at_ms: it.now_ms, error: null }).where('id', '=', it.id),
    ),
    failed: writing((it: { id: string; next_at_ms: number; error: string }) =>
      build
        .updateTable('mails')
        .set((row) => ({ next_at_ms: it.next_at_ms, error: it.error, tries: row('tries', '+', 1) }))
        .where('id', '=', it.id),
    ),
  };
}

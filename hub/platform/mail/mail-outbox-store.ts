import { type Database, firstRow } from '../db/database.ts';
import { reading, slotsOf, writing } from '../db/unit/precompile.ts';
import type { Statement } from '../db/unit/statement.ts';
import { openJson, sealJson } from '../vault/sealed-json.ts';
import type { Vault } from '../world.ts';
import type { MailRow } from './mail-row.ts';
import type { ClaimedMail, OutgoingMail } from './outbox-ports.ts';

/** The outbox of mails. A usable link is never stored in plain (decision 34, links that act), so the mails are sealed. */
export class MailOutbox {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
    this.#queries = queriesOf(database);
  }

  async add(mail: OutgoingMail): Promise<void> {
    await this.#database.commit([this.adding(mail)]);
  }

  /** The statement that adds a mail, for a larger unit of work. */
  adding({ id, to, subject, text, html, createdAtMs }: OutgoingMail): Statement<never> {
    return this.#queries.add({
      id,
      recipient: to,
      subject,
      sealed_body: sealJson(this.#vault, { text, html }, ownerOf(id)),
      created_at_ms: createdAtMs,
      sent_at_ms: null,
      next_at_ms: createdAtMs,
      tries: 0,
      error: null,
    });
  }

  async recent(limit: number) {
    const rows = await this.#database.reader.rows(this.#queries.recent({ limit }));
    return rows.map((row) => ({ ...this.#mailOf(row), sentAtMs: row.sent_at_ms ?? undefined }));
  }

  /** Undelivered mails, newest first. */
  async waiting(limit: number): Promise<OutgoingMail[]> {
    return (await this.#database.rows(this.#queries.waiting({ limit }))).map((row) => this.#mailOf(row));
  }

  async find(id: string): Promise<OutgoingMail | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id }));
    return row && this.#mailOf(row);
  }

  /**
   * Claims the mail that has been due for the longest until `untilMs`. Then it is due again, unless it was
   * sent or has failed before. Undefined when none is due.
   */
  async claimDue(nowMs: number, untilMs: number): Promise<ClaimedMail | undefined> {
    for (;;) {
      const row = await firstRow(this.#database, this.#queries.due({ now_ms: nowMs }));
      if (row === undefined) return undefined;
      const { id, next_at_ms: dueMs, tries } = row;
      const claim = this.#queries.claim({ id, due_ms: dueMs, until_ms: untilMs });
      // Another hub was first; try the next mail.
      if ((await this.#database.commit([claim])) !== 'stored') continue;
      const body = this.#bodyOf(row);
      if (body !== undefined) return { ...headOf(row), ...body, tries };
      await this.failed(id, NEVER_MS, UNREADABLE);
    }
  }

  async sent(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.sent({ id, now_ms: nowMs })]);
  }

  async failed(id: string, nextAtMs: number, error: string): Promise<void> {
    await this.#database.commit([this.#queries.failed({ id, next_at_ms: nextAtMs, error })]);
  }

  /** For operators, who also see unreadable mails. */
  #mailOf(row: MailRow): OutgoingMail {
    return { ...headOf(row), ...(this.#bodyOf(row) ?? { text: UNREADABLE, html: UNREADABLE }) };
  }

  /** Undefined when its master key is missing. */
  #bodyOf({ id, sealed_body }: MailRow): Pick<OutgoingMail, 'text' | 'html'> | undefined {
    return openJson(this.#vault, sealed_body, ownerOf(id));
  }
}

const UNREADABLE = 'this mail was sealed under another master key of the hub';
const NEVER_MS = Number.MAX_SAFE_INTEGER;

function ownerOf(id: string) {
  return { workspaceId: '', kind: 'mail', id } as const;
}

function headOf({ id, recipient, subject, created_at_ms }: MailRow) {
  return { id, to: recipient, subject, createdAtMs: created_at_ms };
}

const COLUMNS = [
  'id',
  'recipient',
  'subject',
  'sealed_body',
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

import { emailKey } from '@svc/core/account/email-address';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { SignInLink } from '../account-ports.ts';
import type { SignInLinkRow } from './table.ts';

export class SignInLinks {
  readonly #database: Database;
  readonly #mails: { adding(mail: OutgoingMail): Statement<never> };
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, mails: { adding(mail: OutgoingMail): Statement<never> }) {
    this.#database = database;
    this.#mails = mails;
    this.#queries = queriesOf(database);
  }

  /** Stores the link, and its mail when there is one, in one transaction. */
  async add(link: SignInLink, mail?: OutgoingMail): Promise<void> {
    const mails = mail === undefined ? [] : [this.#mails.adding(mail)];
    await this.#database.commit([this.#queries.add(rowOf(link)), ...mails]);
  }

  async find(id: string): Promise<SignInLink | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id }));
    return row && recordOf(row);
  }

  /** Compare-and-set: false when the link was used already, or its account got another address since. */
  async use({ id, email }: Pick<SignInLink, 'id' | 'email'>, nowMs: number): Promise<boolean> {
    const use = this.#queries.use({ id, email_key: emailKey(email), now_ms: nowMs });
    return (await this.#database.commit([use])) === 'stored';
  }

  /** When the account got another address after the link was made; undefined: never. */
  async voidedAtMs({ email, createdAtMs }: SignInLink): Promise<number | undefined> {
    const it = { email_key: emailKey(email), created_at_ms: createdAtMs };
    const row = await firstRow(this.#database, this.#queries.voided(it));
    return row?.closed_at_ms ?? undefined;
  }
}

const COLUMNS = ['id', 'email', 'created_at_ms', 'expires_at_ms', 'used_at_ms'] as const;

function queriesOf({ build }: Database) {
  return {
    /** A link that was sent to an old address no longer opens the account (decision 101, change of address). */
    voided: reading((it: { email_key: string; created_at_ms: number }) =>
      build
        .selectFrom('email_changes')
        .select('closed_at_ms')
        .where('state', '=', 'done')
        .where('from_key', '=', it.email_key)
        .where('closed_at_ms', '>=', it.created_at_ms)
        .orderBy('closed_at_ms')
        .limit(1),
    ),
    add: writing((it: SignInLinkRow) => build.insertInto('sign_in_links').values(slotsOf(it, COLUMNS))),
    find: reading((it: { id: string }) =>
      build.selectFrom('sign_in_links').select(COLUMNS).where('id', '=', it.id),
    ),
    use: writing(
      (it: { id: string; email_key: string; now_ms: number }) =>
        build
          .updateTable('sign_in_links')
          .set({ used_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('used_at_ms', 'is', null)
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom('email_changes')
                  .select('email_changes.id')
                  .where('state', '=', 'done')
                  .where('from_key', '=', it.email_key)
                  .whereRef('closed_at_ms', '>=', 'sign_in_links.created_at_ms'),
              ),
            ),
          ),
      { unlessChanged: 'used' },
    ),
  };
}

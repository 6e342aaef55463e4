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

  /** Compare-and-set: false when the link was used already. */
  async use(id: string, nowMs: number): Promise<boolean> {
    return (await this.#database.commit([this.#queries.use({ id, now_ms: nowMs })])) === 'stored';
  }
}

const COLUMNS = ['id', 'email', 'created_at_ms', 'expires_at_ms', 'used_at_ms'] as const;

function queriesOf({ build }: Database) {
  return {
    add: writing((it: SignInLinkRow) => build.insertInto('sign_in_links').values(slotsOf(it, COLUMNS))),
    find: reading((it: { id: string }) =>
      build.selectFrom('sign_in_links').select(COLUMNS).where('id', '=', it.id),
    ),
    use: writing(
      (it: { id: string; now_ms: number }) =>
        build
          .updateTable('sign_in_links')
          .set({ used_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('used_at_ms', 'is', null),
      { unlessChanged: 'used' },
    ),
  };
}

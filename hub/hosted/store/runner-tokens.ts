import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { RunnerToken } from '../hosted-ports.ts';
import type { RunnerTokenRow } from './table.ts';

export class RunnerTokens {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<RunnerToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && recordOf(row);
  }

  /** All tokens, oldest first. */
  async list(): Promise<RunnerToken[]> {
    return (await this.#database.rows(this.#queries.all({}))).map(recordOf);
  }

  async add(token: RunnerToken): Promise<void> {
    await this.#database.commit([this.#queries.add(rowOf({ ...token, revokedAtMs: undefined }))]);
  }

  /** Revokes a token; the first revocation time stays. False when there is no such token. */
  async revoke(id: string, nowMs: number): Promise<boolean> {
    return (await this.#database.commit([this.#queries.revoke({ id, now_ms: nowMs })])) === 'stored';
  }

  /** The ids of the tokens that were revoked since this time. */
  async revokedSince(sinceMs: number): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.revokedSince({ since_ms: sinceMs }));
    return rows.map(({ id }) => id);
  }
}

const COLUMNS = ['id', 'name', 'hash', 'last4', 'created_at_ms', 'revoked_at_ms'] as const;

function queriesOf({ build }: Database) {
  const tokens = build.selectFrom('runner_tokens').select(COLUMNS);
  return {
    byHash: reading((it: { hash: string }) => tokens.where('hash', '=', it.hash)),
    all: reading(() => tokens.orderBy('id')),
    revokedSince: reading((it: { since_ms: number }) =>
      build.selectFrom('runner_tokens').select('id').where('revoked_at_ms', '>=', it.since_ms),
    ),
    add: writing((it: RunnerTokenRow) => build.insertInto('runner_tokens').values(slotsOf(it, COLUMNS))),
    revoke: writing(
      (it: { id: string; now_ms: number }) =>
        build
          .updateTable('runner_tokens')
          .set((row) => ({ revoked_at_ms: row.fn.coalesce('revoked_at_ms', row.val(it.now_ms)) }))
          .where('id', '=', it.id),
      { unlessChanged: 'unknown' },
    ),
  };
}

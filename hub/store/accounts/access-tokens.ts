import type { AccessToken } from '../../engine/ports/accounts.ts';
import { type Database, firstRow } from '../database.ts';
import type { AccessTokenRow } from '../tables.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';
import type { Statement } from '../unit/statement.ts';

export class AccessTokens {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<AccessToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && tokenOf(row);
  }

  async add(token: AccessToken): Promise<void> {
    await this.#database.commit([this.adding(token)]);
  }

  /** The statement that adds it, for a unit that stores more than this. */
  adding(token: AccessToken): Statement<never> {
    return this.#queries.add(rowOf(token));
  }

  async end(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.end({ id, now_ms: nowMs })]);
  }
}

function tokenOf(row: AccessTokenRow): AccessToken {
  return {
    id: row.id,
    kind: row.kind,
    userId: row.user_id,
    workspaceId: row.workspace_id ?? undefined,
    hash: row.hash,
    last4: row.last4,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    epoch: row.epoch,
  };
}

function rowOf(token: AccessToken): AccessTokenRow {
  return {
    id: token.id,
    kind: token.kind,
    user_id: token.userId,
    workspace_id: token.workspaceId ?? null,
    hash: token.hash,
    last4: token.last4,
    created_at_ms: token.createdAtMs,
    expires_at_ms: token.expiresAtMs,
    epoch: token.epoch,
  };
}

const COLUMNS = [
  'id',
  'kind',
  'user_id',
  'workspace_id',
  'hash',
  'last4',
  'created_at_ms',
  'expires_at_ms',
  'epoch',
] as const;

function queriesOf({ build }: Database) {
  return {
    byHash: reading((it: { hash: string }) =>
      build.selectFrom('access_tokens').select(COLUMNS).where('hash', '=', it.hash),
    ),
    add: writing((it: AccessTokenRow) => build.insertInto('access_tokens').values(slotsOf(it, COLUMNS))),
    end: writing((it: { id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('id', '=', it.id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
  };
}

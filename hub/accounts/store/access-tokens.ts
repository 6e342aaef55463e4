import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { AccessToken } from '../account-ports.ts';
import type { AccessTokenRow } from './table.ts';

export class AccessTokens {
  readonly #database: Database;
  readonly #trail: AuditTrail;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, trail: AuditTrail) {
    this.#database = database;
    this.#trail = trail;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<AccessToken | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && tokenOf(row);
  }

  async add(token: AccessToken, entry: AuditEntry): Promise<void> {
    await this.#trail.commit([this.adding(token)], entry);
  }

  /** The statement that adds a token, for a larger unit of work. */
  adding(token: AccessToken): Statement<never> {
    return this.#queries.add(rowOf(token));
  }

  async ofUser(userId: string, nowMs: number): Promise<AccessToken[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofUser({ user_id: userId, now_ms: nowMs }));
    return rows.map(tokenOf);
  }

  async end(id: string, entry: AuditEntry): Promise<void> {
    await this.#trail.commit([this.#queries.end({ id, now_ms: entry.atMs })], entry);
  }

  async touch(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.touch({ id, now_ms: nowMs })]);
  }

  async endAllOfUser(userId: string, entry: AuditEntry): Promise<void> {
    const { raiseTeams, raiseEpochs, endAll } = this.#queries;
    const user = { user_id: userId };
    const unit = [raiseTeams(user), raiseEpochs(user), endAll({ ...user, now_ms: entry.atMs })];
    await this.#trail.commit(unit, entry);
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
    name: row.name ?? undefined,
    usedAtMs: row.used_at_ms ?? undefined,
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
    name: token.name ?? null,
    used_at_ms: token.usedAtMs ?? null,
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
  'name',
  'used_at_ms',
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
    touch: writing((it: { id: string; now_ms: number }) =>
      build.updateTable('access_tokens').set({ used_at_ms: it.now_ms }).where('id', '=', it.id),
    ),
    ofUser: reading((it: { user_id: string; now_ms: number }) =>
      build
        .selectFrom('access_tokens')
        .select(COLUMNS)
        .where('user_id', '=', it.user_id)
        .where('expires_at_ms', '>', it.now_ms)
        .orderBy('id'),
    ),
    // An epoch is a revision of the team, so it never repeats, not even for a member who leaves and returns.
    raiseTeams: writing((it: { user_id: string }) =>
      build
        .updateTable('workspaces')
        .set((row) => ({ team_revision: row('team_revision', '+', 1) }))
        .where('id', 'in', (of) =>
          of.selectFrom('members').select('workspace_id').where('user_id', '=', it.user_id),
        ),
    ),
    raiseEpochs: writing((it: { user_id: string }) =>
      build
        .updateTable('members')
        .set((row) => ({
          epoch: row
            .selectFrom('workspaces')
            .select('team_revision')
            .whereRef('workspaces.id', '=', 'members.workspace_id')
            .$asScalar()
            .$notNull(),
        }))
        .where('user_id', '=', it.user_id),
    ),
    endAll: writing((it: { user_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('user_id', '=', it.user_id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
  };
}

import type { AuditEntry } from '@svc/core/audit/entry';
import type { ApiKey } from '../../engine/ports/accounts.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Database, firstRow } from '../database.ts';
import type { ApiKeyRow } from '../tables.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';

export class ApiKeys {
  readonly #database: Database;
  readonly #trail: AuditTrail;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, trail: AuditTrail) {
    this.#database = database;
    this.#trail = trail;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<ApiKey | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && keyOf(row);
  }

  async of(workspaceId: string): Promise<ApiKey[]> {
    const rows = await this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(keyOf);
  }

  async add(key: ApiKey, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.add(rowOf(key)), this.#queries.byMember(rowOf(key))];
    return (await this.#trail.commit(unit, entry)) === 'stored';
  }

  async revoke(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    return (await this.#trail.commit([this.#queries.revoke(revocation)], entry)) === 'stored';
  }
}

function keyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    name: row.name,
    hash: row.hash,
    last4: row.last4,
    endpoints: row.endpoints === null ? undefined : (JSON.parse(row.endpoints) as string[]),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}

function rowOf(key: ApiKey): ApiKeyRow {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    created_by: key.createdBy,
    name: key.name,
    hash: key.hash,
    last4: key.last4,
    endpoints: key.endpoints === undefined ? null : JSON.stringify(key.endpoints),
    created_at_ms: key.createdAtMs,
    expires_at_ms: key.expiresAtMs ?? null,
    revoked_at_ms: key.revokedAtMs ?? null,
  };
}

const COLUMNS = [
  'id',
  'workspace_id',
  'created_by',
  'name',
  'hash',
  'last4',
  'endpoints',
  'created_at_ms',
  'expires_at_ms',
  'revoked_at_ms',
] as const;

function queriesOf({ build }: Database) {
  const keys = build.selectFrom('api_keys').select(COLUMNS);
  return {
    byHash: reading((it: { hash: string }) => keys.where('hash', '=', it.hash)),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      keys.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    add: writing((it: ApiKeyRow) => build.insertInto('api_keys').values(slotsOf(it, COLUMNS))),
    /** Changes nothing, but holds the membership of its maker until the key is stored. */
    byMember: writing(
      (it: Pick<ApiKeyRow, 'workspace_id' | 'created_by'>) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.created_by),
      { unlessChanged: 'no_member' },
    ),
    // The first time stays: revoking twice is not an error.
    revoke: writing(
      (it: { workspace_id: string; id: string; now_ms: number }) =>
        build
          .updateTable('api_keys')
          .set((row) => ({ revoked_at_ms: row.fn.coalesce('revoked_at_ms', row.val(it.now_ms)) }))
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id),
      { unlessChanged: 'unknown' },
    ),
  };
}

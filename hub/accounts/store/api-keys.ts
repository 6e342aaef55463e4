import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';
import type { ApiKey, RotatedKey, UsedApiKey } from '../account-ports.ts';
import type { ApiKeyRow } from './table.ts';

export class ApiKeys {
  readonly #database: Database;
  readonly #trail: AuditTrail;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, trail: AuditTrail) {
    this.#database = database;
    this.#trail = trail;
    this.#queries = queriesOf(database);
  }

  async byHash(hash: string): Promise<UsedApiKey | undefined> {
    const row = await firstRow(this.#database, this.#queries.byHash({ hash }));
    return row && (row.hash === hash ? keyOf(row) : asPrevious(row));
  }

  async of(workspaceId: string): Promise<UsedApiKey[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(keyOf);
  }

  async add(key: ApiKey, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.add(rowOf(key)), this.#queries.byMember(rowOf(key))];
    return (await this.#trail.commit(unit, entry)) === 'stored';
  }

  async rotate(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean> {
    const { id, hash, last4 } = key;
    const rotation = { id, from_hash: hash, from_last4: last4, hash: to.hash, last4: to.last4 };
    const unit = [this.#queries.rotate({ ...rotation, until_ms: to.previousUntilMs, now_ms: entry.atMs })];
    return (await this.#trail.commit(makingStale(unit, { kind: 'key', id }), entry)) === 'stored';
  }

  async touch(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.touch({ id, now_ms: nowMs })]);
  }

  async revoke(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    const unit = makingStale([this.#queries.revoke(revocation)], { kind: 'key', id });
    return (await this.#trail.commit(unit, entry)) === 'stored';
  }
}

function keyOf(row: ApiKeyRow): UsedApiKey {
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
    previousLast4: row.previous_last4 ?? undefined,
    previousUntilMs: row.previous_until_ms ?? undefined,
    usedAtMs: row.used_at_ms ?? undefined,
  };
}

/** Found by its previous token, the key expires when that token does. */
function asPrevious(row: ApiKeyRow): UsedApiKey {
  const key = keyOf(row);
  const untilMs = row.previous_until_ms ?? 0;
  return {
    ...key,
    hash: row.previous_hash ?? '',
    last4: row.previous_last4 ?? '',
    expiresAtMs: Math.min(untilMs, key.expiresAtMs ?? untilMs),
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
    previous_hash: null,
    previous_last4: null,
    previous_until_ms: null,
    used_at_ms: null,
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
  'previous_hash',
  'previous_last4',
  'previous_until_ms',
  'used_at_ms',
] as const;

interface Rotation {
  readonly id: string;
  readonly from_hash: string;
  readonly from_last4: string;
  readonly hash: string;
  readonly last4: string;
  readonly until_ms: number;
  readonly now_ms: number;
}

function queriesOf({ build }: Database) {
  const keys = build.selectFrom('api_keys').select(COLUMNS);
  return {
    byHash: reading((it: { hash: string }) =>
      keys.where((row) => row.or([row('hash', '=', it.hash), row('previous_hash', '=', it.hash)])),
    ),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      keys.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    add: writing((it: ApiKeyRow) => build.insertInto('api_keys').values(slotsOf(it, COLUMNS))),
    /** Changes nothing, but locks the membership of the creator until the key is stored. */
    byMember: writing(
      (it: Pick<ApiKeyRow, 'workspace_id' | 'created_by'>) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.created_by),
      { unlessChanged: 'no_member' },
    ),
    rotate: writing(
      (it: Rotation) =>
        build
          .updateTable('api_keys')
          .set({
            hash: it.hash,
            last4: it.last4,
            previous_hash: it.from_hash,
            previous_last4: it.from_last4,
            previous_until_ms: it.until_ms,
          })
          .where('id', '=', it.id)
          .where('hash', '=', it.from_hash)
          .where('revoked_at_ms', 'is', null)
          .where((row) => row.or([row('expires_at_ms', 'is', null), row('expires_at_ms', '>', it.now_ms)])),
      { unlessChanged: 'overtaken' },
    ),
    touch: writing((it: { id: string; now_ms: number }) =>
      build.updateTable('api_keys').set({ used_at_ms: it.now_ms }).where('id', '=', it.id),
    ),
    // The first time stays; revoking twice is not an error.
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

import { PERMISSIONS } from '@svc/core/workspace/permissions';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { ApiKey, UsedApiKey } from '../account-ports.ts';
import type { ApiKeyRow } from './table.ts';

export function apiKeyOf(row: ApiKeyRow): UsedApiKey {
  const { previousHash: _, ...key } = recordOf(row);
  const endpoints = row.endpoints === null ? undefined : (JSON.parse(row.endpoints) as string[]);
  return { ...key, endpoints };
}

/** Found by its previous token, the key expires when that token does. */
export function previousKeyOf(row: ApiKeyRow): UsedApiKey {
  const key = apiKeyOf(row);
  const untilMs = row.previous_until_ms ?? 0;
  return {
    ...key,
    hash: row.previous_hash ?? '',
    last4: row.previous_last4 ?? '',
    expiresAtMs: Math.min(untilMs, key.expiresAtMs ?? untilMs),
  };
}

export function rowOfKey(key: ApiKey): ApiKeyRow {
  return {
    ...rowOf({ ...key, endpoints: key.endpoints && JSON.stringify(key.endpoints) }),
    ...{ previous_hash: null, previous_last4: null, previous_until_ms: null, used_at_ms: null },
    service_account_id: key.serviceAccountId ?? null,
    agent_since_ms: null,
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
  'agent_since_ms',
  'service_account_id',
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

export function apiKeyQueries({ build }: Database) {
  const keys = build.selectFrom('api_keys').select(COLUMNS);
  // The first time stays; revoking twice is not an error.
  const revoking = (it: { workspace_id: string; id: string; now_ms: number }) =>
    build
      .updateTable('api_keys')
      .set((row) => ({ revoked_at_ms: row.fn.coalesce('revoked_at_ms', row.val(it.now_ms)) }))
      .where('workspace_id', '=', it.workspace_id)
      .where('id', '=', it.id);
  return {
    byHash: reading((it: { hash: string }) =>
      keys.where((row) => row.or([row('hash', '=', it.hash), row('previous_hash', '=', it.hash)])),
    ),
    ofWorkspace: reading((it: { workspace_id: string }) =>
      keys.where('workspace_id', '=', it.workspace_id).orderBy('id'),
    ),
    add: writing((it: ApiKeyRow) => build.insertInto('api_keys').values(slotsOf(it, COLUMNS))),
    /** Changes nothing, but locks the membership of the creator until the key is stored. Finds none whose role may have no keys. */
    byMember: writing(
      (it: Pick<ApiKeyRow, 'workspace_id' | 'created_by'>) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.created_by)
          .where('role', 'in', PERMISSIONS['api_key.manage_own']),
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
    /** NOTE: finds the key by the hash of the token, because the caller of a request does not say which of its tokens it used. */
    markAgent: writing((it: { hash: string; now_ms: number }) =>
      build
        .updateTable('api_keys')
        .set({ agent_since_ms: it.now_ms })
        .where((row) => row.or([row('hash', '=', it.hash), row('previous_hash', '=', it.hash)]))
        .where('agent_since_ms', 'is', null),
    ),
    agentFacts: reading((it: { id: string }) =>
      build
        .selectFrom('api_keys')
        .select(['hash', 'created_by', 'agent_since_ms', 'service_account_id'])
        .where('id', '=', it.id),
    ),
    touch: writing((it: { id: string; now_ms: number }) =>
      build.updateTable('api_keys').set({ used_at_ms: it.now_ms }).where('id', '=', it.id),
    ),
    revoke: writing(revoking, { unlessChanged: 'unknown' }),
    revokeIfAny: writing(revoking),
  };
}

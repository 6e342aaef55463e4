import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { IdempotencyClaim } from '../execution-ports.ts';
import type { IdempotencyRow } from './table.ts';

type Key = Pick<IdempotencyClaim, 'endpointId' | 'credential' | 'key'>;

/**
 * The execution of an idempotency key. The row is stored with the execution and counts until it expires (decision 23, idempotency).
 */
export class Idempotency {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async find({ endpointId, credential, key }: Key, nowMs: number) {
    const row = await firstRow(
      this.#database,
      this.#queries.find({ endpoint_id: endpointId, credential, key, now_ms: nowMs }),
    );
    return row && { executionId: row.execution_id, requestHash: row.request_hash };
  }

  /** Takes the key unless another execution has it. An expired row that was not swept yet is replaced. */
  claim(claim: IdempotencyClaim, executionId: string, nowMs: number): Statement<'repeated'> {
    return this.#queries.claim({
      endpoint_id: claim.endpointId,
      credential: claim.credential,
      key: claim.key,
      execution_id: executionId,
      request_hash: claim.requestHash,
      expires_at_ms: claim.expiresAtMs,
      now_ms: nowMs,
    });
  }
}

const COLUMNS = [
  'endpoint_id',
  'credential',
  'key',
  'execution_id',
  'request_hash',
  'expires_at_ms',
] as const;

function queriesOf({ build }: Database) {
  return {
    find: reading((it: { endpoint_id: string; credential: string; key: string; now_ms: number }) =>
      build
        .selectFrom('idempotency')
        .select(['execution_id', 'request_hash'])
        .where('endpoint_id', '=', it.endpoint_id)
        .where('credential', '=', it.credential)
        .where('key', '=', it.key)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    claim: writing(
      (it: IdempotencyRow & { now_ms: number }) =>
        build
          .insertInto('idempotency')
          .values(slotsOf(it, COLUMNS))
          .onConflict((conflict) =>
            conflict
              .columns(['endpoint_id', 'credential', 'key'])
              .doUpdateSet(slotsOf(it, ['execution_id', 'request_hash', 'expires_at_ms']))
              .where('idempotency.expires_at_ms', '<=', it.now_ms),
          ),
      { unlessChanged: 'repeated' },
    ),
  };
}

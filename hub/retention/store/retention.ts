import { EXECUTION_STATES, hasEnded } from '@svc/core/execution/state';
import { LIMITS } from '@svc/core/plan/limits';
import { type RawBuilder, sql } from 'kysely';
import { firstIdOf } from '../../executions/store/first-id.ts';
import { ExecutionRemoval, ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import { RunRemoval } from '../../pipelines/runs/store/run-removal.ts';
import type { Database } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import { VersionRemoval } from './version-removal.ts';

const MAX_EXECUTIONS_PER_STEP = 200;
const DAY_MS = 86_400_000;

/** Removes rows past their retention (decision 26, limits), in small units of work so that calls continue in between. */
export class Retention {
  readonly #database: Database;
  readonly #removal: ExecutionRemoval;
  readonly #runs: RunRemoval;
  readonly #versions: VersionRemoval;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#removal = new ExecutionRemoval(database);
    this.#runs = new RunRemoval(database);
    this.#versions = new VersionRemoval(database);
    this.#queries = queriesOf(database);
  }

  /** Returns the number of removed executions. The signal stops it between two units of work. */
  async sweep(nowMs: number, signal?: AbortSignal): Promise<number> {
    const { idempotencyKeys, signInLinks, usedSignIns, deviceCodes, accessTokens, invites, mails } =
      this.#queries;
    const { emailChanges, providerSessions } = this.#queries;
    const keptSinceMs = nowMs - LIMITS.recordsKeptDays * DAY_MS;
    const firstKept = firstIdOf(keptSinceMs);
    const removed = await this.#sweepExecutions(firstKept, signal);
    while (!signal?.aborted && (await this.#runs.removeSome(firstKept)));
    await this.#removeAll(idempotencyKeys({ before_ms: nowMs }), signal);
    await this.#removeAll(this.#queries.counts({ before_ms: keptSinceMs }), signal);
    // After the counts, because a hub may pack some in between.
    await this.#removeAll(this.#queries.packedCounts({ before_ms: keptSinceMs }), signal);
    await this.#versions.sweep({ nowMs, beforeMs: keptSinceMs - DAY_MS }, signal);
    await this.#removeAll(providerSessions({ before_ms: nowMs }), signal);
    for (const rows of [signInLinks, emailChanges, usedSignIns, deviceCodes, accessTokens, invites, mails])
      await this.#removeAll(rows({ before_ms: keptSinceMs }), signal);
    await this.#removeAll(this.#queries.clientTokens({ before_ms: nowMs }), signal);
    await this.#removeAll(this.#queries.clientGrants({ before_ms: nowMs }), signal);
    await this.#removeAll(this.#queries.alertDeliveries({ before_ms: keptSinceMs }), signal);
    await this.#database.commit([this.#queries.idleQueues({})]);
    await this.#database.commit([this.#queries.presences({ before_ms: keptSinceMs })]);
    await this.#database.commit([this.#queries.agents({ before_ms: keptSinceMs })]);
    await this.#database.commit([this.#queries.hosts({ before_ms: keptSinceMs })]);
    await this.#database.commit([this.#queries.hostedRuns({ before_ms: keptSinceMs })]);
    return removed;
  }

  async #sweepExecutions(beforeId: string, signal?: AbortSignal): Promise<number> {
    let removed = 0;
    while (!signal?.aborted) {
      const rows = await this.#database.reader.rows(this.#queries.ended({ before_id: beforeId }));
      for (const unit of this.#removal.units(rows)) {
        if (signal?.aborted) break;
        const beganAtMs = performance.now();
        await this.#database.commit(unit);
        // Half of the time is left to calls, however slow the disk is.
        await Bun.sleep(performance.now() - beganAtMs);
      }
      removed += rows.length;
      if (rows.length === 0) break;
    }
    return removed;
  }

  async #removeAll(rows: Statement<'none_left'>, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) if ((await this.#database.commit([rows])) === 'none_left') return;
  }
}

/**
 * NOTE: Statements that remove rows by time order them by time. PostgreSQL plans a statement for any values, and otherwise reads a whole table to find
 * that none is left.
 */
function queriesOf({ build }: Database) {
  const noneLeft = { unlessChanged: 'none_left' } as const;
  const byId = (
    table:
      | 'sign_in_links'
      | 'email_changes'
      | 'used_sign_ins'
      | 'provider_sessions'
      | 'device_codes'
      | 'access_tokens'
      | 'invites'
      | 'mails'
      | 'oauth_grants',
    time: 'expires_at_ms' | 'created_at_ms',
  ) =>
    writing(
      (it: { before_ms: number }) =>
        build
          .deleteFrom(table)
          .where('id', 'in', (old) =>
            old.selectFrom(table).select('id').where(sql.ref(time), '<', it.before_ms).limit(ROWS_PER_BATCH),
          ),
      noneLeft,
    );
  const countsBefore = (table: 'execution_counts' | 'execution_counts_packed', key: RawBuilder<unknown>) =>
    writing((it: { before_ms: number }) => {
      const from = sql.table(table);
      const some = sql`select ${key} from ${from} where from_ms < ${it.before_ms} and from_ms + span_ms <= ${it.before_ms} order by from_ms limit ${sql.lit(ROWS_PER_BATCH)}`;
      return { compile: () => sql`delete from ${from} where (${key}) in (${some})`.compile(build) };
    }, noneLeft);
  return {
    ended: reading((it: { before_id: string }) =>
      build
        .selectFrom('executions')
        .select(['id', 'last_seq'])
        .where('id', '<', it.before_id)
        .where('state', 'in', EXECUTION_STATES.filter(hasEnded))
        .orderBy('id')
        .limit(MAX_EXECUTIONS_PER_STEP),
    ),
    idempotencyKeys: writing(
      (it: { before_ms: number }) =>
        build
          .deleteFrom('idempotency')
          .where((row) =>
            row(
              row.refTuple('endpoint_id', 'credential', 'key'),
              'in',
              build
                .selectFrom('idempotency')
                .select(['endpoint_id', 'credential', 'key'])
                .where('expires_at_ms', '<=', it.before_ms)
                .orderBy('expires_at_ms')
                .limit(ROWS_PER_BATCH)
                .$asTuple('endpoint_id', 'credential', 'key'),
            ),
          ),
      noneLeft,
    ),
    // An hour or a day of statistics is removed when all of its records are removed.
    counts: countsBefore('execution_counts', sql`workspace_id, slug, span_ms, from_ms, state, bucket, shard`),
    packedCounts: countsBefore('execution_counts_packed', sql`workspace_id, slug, span_ms, from_ms, state`),
    signInLinks: byId('sign_in_links', 'expires_at_ms'),
    emailChanges: byId('email_changes', 'expires_at_ms'),
    usedSignIns: byId('used_sign_ins', 'expires_at_ms'),
    providerSessions: byId('provider_sessions', 'expires_at_ms'),
    deviceCodes: byId('device_codes', 'expires_at_ms'),
    accessTokens: byId('access_tokens', 'expires_at_ms'),
    invites: byId('invites', 'expires_at_ms'),
    mails: byId('mails', 'created_at_ms'),
    // A refresh token is kept for as long as it works, also after its use, so that a second use is noticed.
    clientTokens: writing(
      (it: { before_ms: number }) =>
        build
          .deleteFrom('oauth_tokens')
          .where('hash', 'in', (old) =>
            old
              .selectFrom('oauth_tokens')
              .select('hash')
              .where('expires_at_ms', '<', it.before_ms)
              .limit(ROWS_PER_BATCH),
          ),
      noneLeft,
    ),
    clientGrants: byId('oauth_grants', 'expires_at_ms'),
    alertDeliveries: writing(
      (it: { before_ms: number }) =>
        build.deleteFrom('alert_deliveries').where('id', 'in', (old) =>
          old
            .selectFrom('alert_deliveries')
            .select('id')
            .where('created_at_ms', '<', it.before_ms)
            // The delivery queue counts it.
            .where('state', '!=', 'waiting')
            .orderBy('created_at_ms')
            .limit(ROWS_PER_BATCH),
        ),
      noneLeft,
    ),
    idleQueues: writing(() =>
      build.deleteFrom('alert_lanes').where('due_at_ms', 'is', null).where('waiting', '=', 0),
    ),
    presences: writing((it: { before_ms: number }) =>
      build.deleteFrom('agent_presences').where('state', '=', 'offline').where('since_ms', '<', it.before_ms),
    ),
    agents: writing((it: { before_ms: number }) =>
      build.deleteFrom('agents').where('hub_id', 'is', null).where('seen_at_ms', '<', it.before_ms),
    ),
    hosts: writing((it: { before_ms: number }) =>
      build.deleteFrom('runners').where('hub_id', 'is', null).where('seen_at_ms', '<', it.before_ms),
    ),
    // A run may take months; ended runs past their retention have been removed before.
    hostedRuns: writing((it: { before_ms: number }) =>
      build
        .deleteFrom('hosted_runs')
        .where('pinned_at_ms', '<', it.before_ms)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('pipeline_runs')
                .select('pipeline_runs.id')
                .whereRef('pipeline_runs.id', '=', 'hosted_runs.run_id'),
            ),
          ),
        ),
    ),
  };
}

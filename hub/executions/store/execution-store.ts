import type { StatsSpan } from '@svc/core/execution/execution-stats';
import type { LineTime } from '@svc/core/execution/line-times';
import { sql } from 'kysely';
import type { PublishedEvents } from '../../alerts/store/published-events.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import { type UnitOfWork, withEvent } from '../../platform/db/unit/statement.ts';
import type {
  Acceptance,
  CountedBy,
  Execution,
  ExecutionFilter,
  ExecutionLedger,
  Finish,
  IdempotencyClaim,
  NewExecution,
  OutputChunk,
  QuotaClaim,
  Statistics,
  UsedMonth,
} from '../execution-ports.ts';
import { HostedSlots } from './hosted-places.ts';
import { Idempotency } from './idempotency.ts';
import { IS_UNFINISHED, Listing } from './listing.ts';
import { Output } from './output.ts';
import { Quota } from './quota.ts';
import { EXECUTION_COLUMNS, executionOfRow, executionRow, firstValues } from './row.ts';
import { readStatistics } from './statistics.ts';
import type { ExecutionRow } from './table.ts';
import { Transitions } from './transitions.ts';

/** The record of all executions: acceptance, state and output. */
export class StoredLedger implements ExecutionLedger {
  readonly #database: Database;
  readonly #quota: Quota;
  readonly #idempotency: Idempotency;
  readonly #output: Output;
  readonly #acceptor: Acceptor;
  readonly #transitions: Transitions;
  readonly #listing: Listing;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<PublishedEvents, 'statementFor'>) {
    this.#database = database;
    this.#quota = new Quota(database);
    this.#idempotency = new Idempotency(database);
    this.#output = new Output(database);
    const places = new HostedSlots(database, this.#quota);
    this.#acceptor = new Acceptor(database, this.#quota, this.#idempotency, places);
    this.#transitions = new Transitions(database, { output: this.#output, quota: this.#quota, events });
    this.#listing = new Listing(database);
    this.#queries = queriesOf(database);
  }

  accept(execution: NewExecution, quota?: QuotaClaim, idempotency?: IdempotencyClaim): Promise<Acceptance> {
    return this.#acceptor.accept(execution, quota, idempotency);
  }

  begin(executionId: string, to: Parameters<ExecutionLedger['begin']>[1]): Promise<boolean> {
    return this.#transitions.begin(executionId, to);
  }

  async append(chunks: readonly OutputChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    await this.#database.commit(chunks.flatMap((chunk) => this.#output.append(chunk)));
  }

  finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean> {
    return this.#transitions.finish(finish, lastChunks, refund);
  }

  finishQueued(finish: Finish, refund?: QuotaClaim): Promise<boolean> {
    return this.#transitions.finishQueued(finish, refund);
  }

  requestCancel(executionId: string, nowMs: number): Promise<boolean> {
    return this.#transitions.requestCancel(executionId, nowMs);
  }

  async eraseSealedArgs(executionId: string): Promise<void> {
    await this.#database.commit([this.#queries.eraseSealedArgs({ id: executionId })]);
  }

  claim(executionId: string, fromHubId: string, toHubId: string): Promise<boolean> {
    return this.#transitions.claim(executionId, fromHubId, toHubId);
  }

  claimQueued(executionId: string, fromHubId: string, toHubId: string): Promise<boolean> {
    return this.#transitions.claimQueued(executionId, fromHubId, toHubId);
  }

  async find(executionId: string): Promise<Execution | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id: executionId }));
    return row && executionOfRow(row);
  }

  async lineTimes(executionId: string): Promise<readonly LineTime[] | undefined> {
    const row = await firstRow(this.#database, this.#queries.lineTimes({ id: executionId }));
    return row?.line_times ? (JSON.parse(row.line_times) as LineTime[]) : undefined;
  }

  output(executionId: string, afterSeq: number, limit: number): Promise<OutputChunk[]> {
    return this.#output.read(executionId, afterSeq, limit);
  }

  outputBack(executionId: string, beforeSeq: number, limit: number): Promise<OutputChunk[]> {
    return this.#output.readBack(executionId, beforeSeq, limit);
  }

  list(filter: ExecutionFilter) {
    return this.#listing.page(filter);
  }

  statistics(of: CountedBy, span: StatsSpan): Promise<Statistics> {
    return readStatistics(this.#database, of, span);
  }

  async unfinished(hubId: string): Promise<Execution[]> {
    return (await this.#database.rows(this.#queries.unfinished({ hub_id: hubId }))).map(executionOfRow);
  }

  async queuedAtOtherHubs(hubId: string, limit: number): Promise<Execution[]> {
    const rows = await this.#database.rows(this.#queries.queuedAtOtherHubs({ hub_id: hubId, limit }));
    return rows.map(executionOfRow);
  }

  async cancelRequested(hubId: string): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.cancelRequested({ hub_id: hubId }));
    return rows.map(({ id }) => id);
  }

  async owners(): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.owners({}));
    return [...new Set(rows.map(({ hub_id }) => hub_id))].sort();
  }

  idempotent(claim: Pick<IdempotencyClaim, 'endpointId' | 'credential' | 'key'>, nowMs: number) {
    return this.#idempotency.find(claim, nowMs);
  }

  quotaUsed(workspaceId: string, period: string): Promise<number> {
    return this.#quota.used(workspaceId, period);
  }

  usedMonths(workspaceId: string, limit: number): Promise<UsedMonth[]> {
    return this.#quota.months(workspaceId, limit);
  }
}

function queriesOf({ build }: Database) {
  const executions = build.selectFrom('executions').select(EXECUTION_COLUMNS);
  return {
    find: reading((it: { id: string }) => executions.where('id', '=', it.id)),
    lineTimes: reading((it: { id: string }) =>
      build.selectFrom('executions').select('line_times').where('id', '=', it.id),
    ),
    unfinished: reading((it: { hub_id: string }) =>
      executions.where(IS_UNFINISHED).where('hub_id', '=', it.hub_id).orderBy('workspace_id').orderBy('id'),
    ),
    queuedAtOtherHubs: reading((it: { hub_id: string; limit: number }) =>
      executions
        .where(IS_UNFINISHED)
        .where('state', '=', 'queued')
        .where('asynchronous', '=', 1)
        .where('hub_id', '!=', it.hub_id)
        .orderBy('workspace_id')
        .orderBy('id')
        .limit(sql<number>`${it.limit}`),
    ),
    cancelRequested: reading((it: { hub_id: string }) =>
      build
        .selectFrom('executions')
        .select('id')
        .where(IS_UNFINISHED)
        .where('state', '=', 'running')
        .where('cancel_asked_at_ms', 'is not', null)
        .where('hub_id', '=', it.hub_id)
        .orderBy('workspace_id')
        .orderBy('id'),
    ),
    owners: reading(() =>
      build
        .selectFrom('executions')
        .select(['workspace_id', 'hub_id'])
        .distinct()
        .where(IS_UNFINISHED)
        .orderBy('workspace_id'),
    ),
    eraseSealedArgs: writing((it: { id: string }) =>
      build.updateTable('executions').set({ sealed_args: null }).where('id', '=', it.id),
    ),
  };
}

const WAS_THERE: Acceptance = { kind: 'stored', wasThere: true };

/** Stores a new execution with its quota and its idempotency row, or not at all. */
export class Acceptor implements Pick<ExecutionLedger, 'accept'> {
  readonly #database: Database;
  readonly #quota: Quota;
  readonly #idempotency: Idempotency;
  readonly #places: HostedSlots;
  readonly #add: ReturnType<typeof insertion>;
  readonly #exists: ReturnType<typeof presence>;

  constructor(database: Database, quota: Quota, idempotency: Idempotency, places: HostedSlots) {
    this.#database = database;
    this.#quota = quota;
    this.#idempotency = idempotency;
    this.#places = places;
    this.#add = insertion(database);
    this.#exists = presence(database);
  }

  /** @param along further statements that are stored with the execution, or not at all */
  async accept(
    execution: NewExecution,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
    along: UnitOfWork<never> = [],
  ): Promise<Acceptance> {
    const unit = [this.#adding(execution), ...along];
    const acceptance = await this.#stored(execution, unit, quota, idempotency);
    if (acceptance === WAS_THERE) this.#database.publish(unit);
    return acceptance;
  }

  async #stored(
    execution: NewExecution,
    unit: UnitOfWork<'accepted_already'>,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
  ): Promise<Acceptance> {
    for (;;) {
      const outcome = await this.#store(execution, unit, quota, idempotency);
      if (outcome === 'stored') return { kind: 'stored' };
      if (outcome === 'accepted_already') return WAS_THERE;
      // A repeated request is answered although the quota may be used up by now.
      const earlier = idempotency && (await this.#idempotency.find(idempotency, execution.createdAtMs));
      if (earlier?.executionId === execution.id) return WAS_THERE;
      if (earlier) return { kind: 'repeated', ...earlier };
      if (outcome === 'quota_exceeded' && quota) return await this.#withoutQuota(execution.id, quota);
      if (outcome === 'hosted_quota_exceeded') return await this.#withoutHosted(execution.id);
      if (outcome === 'no_place') return { kind: 'no_place' };
      // The row of the key expired between the two reads: the key is free.
    }
  }

  /** The unit that is over the limit may be the one that an earlier attempt has taken. */
  async #withoutQuota(executionId: string, { workspaceId, period }: QuotaClaim): Promise<Acceptance> {
    if (await firstRow(this.#database, this.#exists({ id: executionId }))) return WAS_THERE;
    return { kind: 'quota_exceeded', used: await this.#quota.used(workspaceId, period) };
  }

  async #withoutHosted(executionId: string): Promise<Acceptance> {
    const isStored = (await firstRow(this.#database, this.#exists({ id: executionId }))) !== undefined;
    return isStored ? WAS_THERE : { kind: 'hosted_quota_exceeded' };
  }

  async #store(
    execution: NewExecution,
    unit: UnitOfWork<'accepted_already'>,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
  ) {
    if (quota?.limit !== undefined && quota.limit < 1) return 'quota_exceeded';
    const { id, createdAtMs } = execution;
    // The quota row comes first, because all calls of a workspace contend for it; or the row of its hosted executions.
    return await this.#database.commit([
      ...(quota
        ? [...this.#places.claims(id, quota), this.#quota.take(quota), ...this.#places.check(id, quota)]
        : []),
      ...(idempotency ? [this.#idempotency.claim(idempotency, id, createdAtMs)] : []),
      ...unit,
    ]);
  }

  #adding(execution: NewExecution) {
    return withEvent(this.#add(executionRow(execution)), { kind: 'execution_accepted', execution });
  }
}

function insertion({ build }: Database) {
  return writing((it: ExecutionRow) => build.insertInto('executions').values(firstValues(it)), {
    ifExists: 'accepted_already',
  });
}

function presence({ build }: Database) {
  return reading((it: { id: string }) => build.selectFrom('executions').select('id').where('id', '=', it.id));
}

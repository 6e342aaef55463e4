import type { Approval } from '@svc/core/approval/approval';
import type { AuditEntry } from '@svc/core/audit/entry';
import { sql } from 'kysely';
import type { PublishedEvents } from '../../alerts/store/published-events.ts';
import { approvalQueries } from '../../approvals/store/queries.ts';
import { approvalRow } from '../../approvals/store/row.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { nextFireMs } from '../../endpoints/store/follow-definition.ts';
import type { Quota } from '../../executions/store/quota.ts';
import { executionRow } from '../../executions/store/row.ts';
import type { ExecutionRow } from '../../executions/store/table.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import { withEvent } from '../../platform/db/unit/statement.ts';
import type {
  DuePlace,
  DueSchedule,
  Fires,
  FiresStored,
  LastFire,
  MissedFire,
  Schedule,
  Schedules,
} from '../schedule-ports.ts';
import { scheduleQueries } from './queries.ts';
import type { ScheduleRow } from './table.ts';

/** The stores whose rows are written together with fires and changes of schedules. */
interface ScheduleParts {
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
  readonly quota: Quota;
  readonly events: Pick<PublishedEvents, 'statementFor'>;
}

/** Schedules of endpoints, and the records of their fires (decision 37, schedules). */
export class StoredSchedules implements Schedules {
  readonly #database: Database;
  readonly #parts: ScheduleParts;
  readonly #queries: ReturnType<typeof scheduleQueries>;
  readonly #approvals: ReturnType<typeof approvalQueries>;

  constructor(database: Database, parts: ScheduleParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = scheduleQueries(database);
    this.#approvals = approvalQueries(database);
  }

  async ofWorkspace(workspaceId: string): Promise<Schedule[]> {
    const rows = await this.#database.reader.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(scheduleOf);
  }

  async find(endpointId: string): Promise<Schedule | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ endpoint_id: endpointId }));
    return row && scheduleOf(row);
  }

  async due(nowMs: number, after: DuePlace | undefined, limit: number): Promise<DueSchedule[]> {
    const rows = await this.#database.rows(
      this.#queries.due({
        now_ms: nowMs,
        next_fire_at_ms: after?.nextFireAtMs ?? Number.MIN_SAFE_INTEGER,
        endpoint_id: after?.endpointId ?? '',
        limit,
      }),
    );
    return rows.map(scheduleOf).filter((schedule): schedule is DueSchedule => isDue(schedule));
  }

  async record(schedule: DueSchedule, { missed, start, alerts, nextMs }: Fires): Promise<FiresStored> {
    const { quota } = start ?? {};
    if (quota?.limit !== undefined && quota.limit < 1) return 'quota_exceeded';
    const { advance, start: begin, miss } = this.#queries;
    const { workspaceId } = schedule;
    const fired = withEvent(advance({ ...seen(schedule), to_ms: nextMs ?? null }), {
      ...{ kind: 'schedule_fired', workspaceId, start: start?.execution },
      missed: missed.map(({ execution, ended: { state, reason } }) => ({ ...execution, state, reason })),
    });
    const opened = start?.approval === undefined ? [] : [this.#opening(start.approval)];
    // The quota comes first, because its row is contended by all executions of a workspace.
    const outcome = await this.#database.commit([
      ...(quota ? [this.#parts.quota.take(quota)] : []),
      fired,
      ...missed.map((fire) => miss(missedRow(fire))),
      ...(start ? [begin(executionRow(start.execution))] : []),
      ...opened,
      ...alerts.map((event) => this.#parts.events.statementFor(event)),
    ]);
    if (outcome !== 'overtaken') return outcome;
    // An earlier attempt may have been stored, and only its answer lost.
    const [first] = start === undefined ? missed.map(({ execution }) => execution) : [start.execution];
    const own = first && (await firstRow(this.#database, this.#queries.exists({ id: first.id })));
    if (own === undefined) return 'overtaken';
    this.#database.publish([fired, ...opened]);
    return 'stored';
  }

  #opening(approval: Approval) {
    return withEvent(this.#approvals.add(approvalRow(approval)), { kind: 'approval_opened', approval });
  }

  async correct(schedule: DueSchedule, expression: string | undefined, nowMs: number): Promise<void> {
    const { correct, drop } = this.#queries;
    const from = seen(schedule);
    const statement =
      expression === undefined
        ? drop(from)
        : correct({ ...from, to_expression: expression, to_ms: nextFireMs(expression, nowMs) ?? null });
    await this.#database.commit([statement]);
  }

  async pause(endpointId: string, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.pause({ endpoint_id: endpointId })];
    return (await this.#parts.auditWriter.commit(unit, entry)) === 'stored';
  }

  async resume(
    { endpointId, expression }: Schedule,
    nextMs: number | undefined,
    entry: AuditEntry,
  ): Promise<boolean> {
    const unit = [this.#queries.resume({ endpoint_id: endpointId, expression, to_ms: nextMs ?? null })];
    return (await this.#parts.auditWriter.commit(unit, entry)) === 'stored';
  }

  lastFires(endpointIds: readonly string[]) {
    return lastFires(this.#database, endpointIds);
  }
}

function seen({ endpointId, expression, nextFireAtMs }: DueSchedule) {
  return { endpoint_id: endpointId, expression, next_fire_at_ms: nextFireAtMs };
}

function isDue({ nextFireAtMs }: Schedule): boolean {
  return nextFireAtMs !== undefined;
}

function scheduleOf(row: ScheduleRow & { readonly earlier: number }): Schedule {
  return {
    endpointId: row.endpoint_id,
    workspaceId: row.workspace_id,
    expression: row.expression,
    state: row.state,
    registeredAtMs: row.registered_at_ms,
    nextFireAtMs: row.next_fire_at_ms ?? undefined,
    earlier: row.earlier,
  };
}

/** The row of an execution that is final from the beginning. */
function missedRow({ execution, ended, fires }: MissedFire): ExecutionRow {
  return {
    ...executionRow({ ...execution, state: 'rejected', reason: undefined }),
    state: ended.state,
    reason: ended.reason ?? null,
    error: ended.error ?? null,
    error_code: ended.errorCode ?? null,
    missed_fires: fires ?? null,
  };
}

/** NOTE: The same text as the conditions of the partial indexes, so that each endpoint costs two index lookups. */
const FIRED = sql<boolean>`fire.scheduled_for_ms is not null and fire.state <> 'missed'`;
const MISSED = sql<boolean>`fire.state = 'missed'`;

/** The last fire of each endpoint that started, and the last that did not. */
async function lastFires(database: Database, endpointIds: readonly string[]) {
  const [fired, missed] = await Promise.all([
    lastOf(database, endpointIds, FIRED),
    lastOf(database, endpointIds, MISSED),
  ]);
  return { fired, missed };
}

async function lastOf(
  { build, rows }: Database,
  endpointIds: readonly string[],
  condition: typeof FIRED,
): Promise<ReadonlyMap<string, LastFire>> {
  if (endpointIds.length === 0) return new Map();
  const found = await rows(
    once(
      build
        .selectFrom('schedules')
        .innerJoin('executions', (join) =>
          join.on('executions.id', '=', (last) =>
            last
              .selectFrom('executions as fire')
              .select('fire.id')
              .whereRef('fire.endpoint_id', '=', 'schedules.endpoint_id')
              .where(condition)
              .orderBy('fire.scheduled_for_ms', 'desc')
              .limit(1),
          ),
        )
        .select([
          'schedules.endpoint_id',
          'executions.id',
          'scheduled_for_ms',
          'executions.state',
          'reason',
          'missed_fires',
        ])
        .where('schedules.endpoint_id', 'in', endpointIds),
    ),
  );
  return new Map(
    found.map((row) => [
      row.endpoint_id,
      {
        executionId: row.id,
        scheduledForMs: row.scheduled_for_ms ?? 0,
        state: row.state,
        reason: row.reason ?? undefined,
        missedFires: row.missed_fires ?? undefined,
      },
    ]),
  );
}

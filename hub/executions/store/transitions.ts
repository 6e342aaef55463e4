import type { AlertEvent } from '@svc/core/alert/event';
import { type ExecutionState, statesBefore } from '@svc/core/execution/state';
import { sql } from 'kysely';
import { AgentJournals } from '../../agents/store/agent-journals.ts';
import type { PublishedEvents } from '../../alerts/store/published-events.ts';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import { type Statement, withEvent } from '../../platform/db/unit/statement.ts';
import type { ExecutionLedger, Finish, OutputChunk, QuotaClaim } from '../execution-ports.ts';
import { counted, type Output } from './output.ts';
import type { Quota } from './quota.ts';
import { notingUnsent } from './unsent-artifacts.ts';

type FinalState = Finish['state'];
type Begin = Parameters<ExecutionLedger['begin']>[1];
type Changes = 'begin' | 'finish' | 'finishQueued' | 'requestCancel' | 'claim' | 'claimQueued';

const FINAL_STATES = [
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'rejected',
  'missed',
] as const satisfies FinalState[];

/** The writes that a change of state may include. */
export interface TransitionParts {
  readonly output: Output;
  readonly quota: Quota;
  readonly events: Pick<PublishedEvents, 'statementFor'>;
}

/** Every change of state: a compare-and-set on the states that the table in core allows as predecessors. */
export class Transitions implements Pick<ExecutionLedger, Changes> {
  readonly #database: Database;
  readonly #output: Output;
  readonly #quota: Quota;
  readonly #events: TransitionParts['events'];
  readonly #journals: Pick<AgentJournals, 'marking'>;
  readonly #noteUnsent: ReturnType<typeof notingUnsent>;
  readonly #begin: ReturnType<typeof beginning>;
  readonly #finish: Finishing;
  readonly #finishOwn: Finishing;
  readonly #finishQueued: Finishing;
  readonly #askCancel: ReturnType<typeof askingCancel>;
  readonly #claim: ReturnType<typeof claiming>;
  readonly #claimQueued: ReturnType<typeof claiming>;

  constructor(database: Database, { output, quota, events }: TransitionParts) {
    this.#database = database;
    this.#output = output;
    this.#quota = quota;
    this.#events = events;
    this.#journals = new AgentJournals(database, events);
    this.#noteUnsent = notingUnsent(database);
    this.#begin = beginning(database);
    this.#finish = finishing(database, statesBefore);
    this.#finishOwn = finishing(database, statesBefore, 'of its hub');
    this.#finishQueued = finishing(database, () => ['queued']);
    this.#askCancel = askingCancel(database);
    this.#claim = claiming(database);
    this.#claimQueued = claiming(database, 'queued');
  }

  async begin(executionId: string, to: Begin): Promise<boolean> {
    const begin = withEvent(this.beginning(executionId, to), { kind: 'execution_begun', executionId });
    return (await this.#database.commit([begin])) === 'stored';
  }

  /** The statement of the change, for units that also store other rows. */
  beginning(executionId: string, { name, instance, boot, hubId, nowMs }: Begin): Statement<'not_queued'> {
    const to = {
      agent_name: name,
      agent_instance: instance,
      agent_boot: boot,
      hub_id: hubId,
      started_at_ms: nowMs,
    };
    return this.#begin({ id: executionId, ...to });
  }

  async finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean> {
    const last = lastChunks.at(-1);
    const statements = finish.ifOfHub === undefined ? this.#finish : this.#finishOwn;
    const { executionId, artifactsUnsent: reason, endedAtMs } = finish;
    const note = reason ? [this.#noteUnsent({ id: executionId, reason, now_ms: endedAtMs })] : [];
    const outcome = await this.#database.commit([
      ...lastChunks.slice(0, -1).flatMap((chunk) => this.#output.append(chunk)),
      withEvent(finished(statements, finish, last), { kind: 'execution_finished', executionId }),
      ...(last ? [this.#output.add(last)] : []),
      ...(refund ? this.#quota.refundAll(refund) : []),
      ...this.#alertStatements(finish.alerts),
      ...(finish.journal ? [this.#journals.marking(finish.journal)] : []),
      ...note,
    ]);
    // The end of an execution that was lost before is no change, and what it says of its files is still new.
    if (outcome !== 'stored' && note.length > 0) await this.#database.commit(note);
    return outcome === 'stored';
  }

  async finishQueued(finish: Finish, refund?: QuotaClaim): Promise<boolean> {
    const { executionId } = finish;
    const workspaceId = refund?.workspaceId;
    const outcome = await this.#database.commit([
      withEvent(finished(this.#finishQueued, finish, undefined), {
        ...{ kind: 'execution_withdrawn', executionId, workspaceId },
      }),
      ...(refund ? this.#quota.refundAll(refund) : []),
      ...this.#alertStatements(finish.alerts),
    ]);
    return outcome === 'stored';
  }

  #alertStatements(alerts: readonly AlertEvent[] = []) {
    return alerts.map((event) => this.#events.statementFor(event));
  }

  async requestCancel(executionId: string, nowMs: number): Promise<boolean> {
    const ask = this.#askCancel({ id: executionId, now_ms: nowMs });
    const unit = [withEvent(ask, { kind: 'execution_cancel_requested', executionId })];
    return (await this.#database.commit(unit)) === 'stored';
  }

  async claim(executionId: string, fromHubId: string, toHubId: string): Promise<boolean> {
    const claim = this.#claim({ id: executionId, from_hub: fromHubId, to_hub: toHubId });
    return (await this.#database.commit([claim])) === 'stored';
  }

  async claimQueued(executionId: string, fromHubId: string, toHubId: string): Promise<boolean> {
    const claim = this.#claimQueued({ id: executionId, from_hub: fromHubId, to_hub: toHubId });
    return (await this.#database.commit([claim])) === 'stored';
  }
}

/** NOTE: Includes the last chunk in the counts: nearly every execution has one, and this saves a second write of the row. */
function finished(statements: Finishing, finish: Finish, last: OutputChunk | undefined) {
  const statement = statements.get(finish.state);
  if (statement === undefined) throw new Error(`state "${finish.state}" ends nothing`);
  return statement({
    id: finish.executionId,
    hub_id: finish.ifOfHub ?? '',
    reason: finish.reason ?? null,
    error: finish.error ?? null,
    error_code: finish.errorCode ?? null,
    exit_code: finish.exitCode ?? null,
    duration_ms: finish.durationMs ?? null,
    data: finish.data ?? null,
    files: finish.files === undefined ? null : JSON.stringify(finish.files),
    line_times: finish.lineTimes === undefined ? null : JSON.stringify(finish.lineTimes),
    ended_at_ms: finish.endedAtMs,
    seq: last?.seq ?? 0,
    bytes: last?.sse.length ?? 0,
  });
}

interface Beginning {
  readonly id: string;
  readonly agent_name: string;
  readonly agent_instance: string;
  readonly agent_boot: string;
  readonly hub_id: string;
  readonly started_at_ms: number;
}

function beginning({ build }: Database) {
  return writing(
    (it: Beginning) =>
      build
        .updateTable('executions')
        .set({
          state: 'running',
          agent_name: it.agent_name,
          agent_instance: it.agent_instance,
          agent_boot: it.agent_boot,
          hub_id: it.hub_id,
          started_at_ms: it.started_at_ms,
        })
        .where('id', '=', it.id)
        .where(({ and, eb, or }) =>
          or([
            eb('state', 'in', statesBefore('running')),
            // An earlier attempt was stored, and its answer was lost.
            and([
              eb('state', '=', 'running'),
              eb('hub_id', '=', it.hub_id),
              eb('agent_instance', '=', it.agent_instance),
              eb('started_at_ms', '=', it.started_at_ms),
            ]),
          ]),
        ),
    { unlessChanged: 'not_queued' },
  );
}

interface Ending {
  readonly id: string;
  readonly hub_id: string;
  readonly reason: Finish['reason'] | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly data: string | null;
  readonly files: string | null;
  readonly line_times: string | null;
  readonly ended_at_ms: number;
  readonly seq: number;
  readonly bytes: number;
}

type Finishing = ReturnType<typeof finishing>;

/** One statement for each final state; its text names the states that may precede it. */
function finishing(
  { build }: Database,
  before: (state: FinalState) => readonly ExecutionState[],
  only?: 'of its hub',
) {
  const statementFor = (state: FinalState) =>
    writing(
      (it: Ending) => {
        const update = build
          .updateTable('executions')
          .set({
            state,
            reason: it.reason ?? null,
            error: it.error,
            error_code: it.error_code,
            exit_code: it.exit_code,
            duration_ms: it.duration_ms,
            data: it.data,
            // What waited for approval stays on record, whether the command got it or not.
            files: sql<string | null>`coalesce(${it.files}, files)`,
            line_times: it.line_times,
            ended_at_ms: it.ended_at_ms,
            // The end that an agent proves after the hub has ended the execution as lost (decision 24, states and
            // takeover).
            late: sql<number>`case when state = 'lost' then 1 else late end`,
            ...counted(it),
          })
          .where('id', '=', it.id)
          .where('state', 'in', before(state));
        return only === undefined ? update : update.where('hub_id', '=', it.hub_id);
      },
      { unlessChanged: 'not_allowed' },
    );
  return new Map(FINAL_STATES.map((state) => [state, statementFor(state)]));
}

function askingCancel({ build }: Database) {
  return writing(
    (it: { id: string; now_ms: number }) =>
      build
        .updateTable('executions')
        .set({
          cancel_asked_at_ms: sql<number>`coalesce(cancel_asked_at_ms, cast(${it.now_ms} as bigint))`,
        })
        .where('id', '=', it.id)
        .where('state', '=', 'running'),
    { unlessChanged: 'not_running' },
  );
}

/**
 * An execution that the claimer already owns counts as claimed: an earlier claim was stored, and only its answer was lost.
 */
function claiming({ build }: Database, only?: 'queued') {
  return writing(
    (it: { id: string; from_hub: string; to_hub: string }) => {
      const update = build
        .updateTable('executions')
        .set({ hub_id: it.to_hub })
        .where('id', '=', it.id)
        .where(({ eb, or }) => or([eb('hub_id', '=', it.from_hub), eb('hub_id', '=', it.to_hub)]));
      return only === undefined ? update : update.where('state', '=', only);
    },
    { unlessChanged: 'of_another' },
  );
}

import { statesBefore } from '@svc/core/execution/state';
import { sql } from 'kysely';
import type { ExecutionLedger, Finish, OutputChunk, QuotaClaim } from '../../engine/ports.ts';
import type { Database } from '../database.ts';
import { writing } from '../unit/precompile.ts';
import { counted, type Output } from './output.ts';
import type { Quota } from './quota.ts';

type FinalState = Finish['state'];
type Begin = Parameters<ExecutionLedger['begin']>[1];

const FINAL_STATES = [
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'rejected',
] as const satisfies FinalState[];

/** Every change of state: a compare-and-set on the states from which the table of core lets it happen. */
export class Transitions implements Pick<ExecutionLedger, 'begin' | 'finish'> {
  readonly #database: Database;
  readonly #output: Output;
  readonly #quota: Quota;
  readonly #begin: ReturnType<typeof beginning>;
  readonly #finish: ReadonlyMap<FinalState, ReturnType<typeof finishing>>;

  constructor(database: Database, output: Output, quota: Quota) {
    this.#database = database;
    this.#output = output;
    this.#quota = quota;
    this.#begin = beginning(database);
    this.#finish = new Map(FINAL_STATES.map((state) => [state, finishing(database, state)]));
  }

  async begin(executionId: string, { name, instance, boot, hubId, nowMs }: Begin): Promise<boolean> {
    const to = {
      agent_name: name,
      agent_instance: instance,
      agent_boot: boot,
      hub_id: hubId,
      started_at_ms: nowMs,
    };
    return (await this.#database.commit([this.#begin({ id: executionId, ...to })])) === 'stored';
  }

  async finish(finish: Finish, lastChunks: readonly OutputChunk[], refund?: QuotaClaim): Promise<boolean> {
    const last = lastChunks.at(-1);
    const outcome = await this.#database.commit([
      ...lastChunks.slice(0, -1).flatMap((chunk) => this.#output.append(chunk)),
      this.#finished(finish, last),
      ...(last ? [this.#output.add(last)] : []),
      ...(refund ? [this.#quota.giveBack(refund)] : []),
    ]);
    return outcome === 'stored';
  }

  /** NOTE: The last chunk is counted along: nearly every execution has one, and its row is written once then. */
  #finished(finish: Finish, last: OutputChunk | undefined) {
    const statement = this.#finish.get(finish.state);
    if (statement === undefined) throw new Error(`state "${finish.state}" ends nothing`);
    return statement({
      id: finish.executionId,
      reason: finish.reason ?? null,
      error: finish.error ?? null,
      error_code: finish.errorCode ?? null,
      exit_code: finish.exitCode ?? null,
      duration_ms: finish.durationMs ?? null,
      data: finish.data ?? null,
      ended_at_ms: finish.endedAtMs,
      seq: last?.seq ?? 0,
      bytes: last?.sse.length ?? 0,
    });
  }
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
        .where('state', 'in', statesBefore('running')),
    { unlessChanged: 'not_queued' },
  );
}

interface Ending {
  readonly id: string;
  readonly reason: Finish['reason'] | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly data: string | null;
  readonly ended_at_ms: number;
  readonly seq: number;
  readonly bytes: number;
}

function finishing({ build }: Database, state: FinalState) {
  return writing(
    (it: Ending) =>
      build
        .updateTable('executions')
        .set({
          state,
          reason: it.reason ?? null,
          error: it.error,
          error_code: it.error_code,
          exit_code: it.exit_code,
          duration_ms: it.duration_ms,
          data: it.data,
          ended_at_ms: it.ended_at_ms,
          // What an agent proves after it was given up (decision 24).
          late: sql<number>`case when state = 'lost' then 1 else late end`,
          ...counted(it),
        })
        .where('id', '=', it.id)
        .where('state', 'in', statesBefore(state)),
    { unlessChanged: 'not_allowed' },
  );
}

import { parseCron } from '@svc/core/schedule/cron';
import { nextFires } from '@svc/core/schedule/fire-times';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { ScheduleRow } from '../../schedules/store/table.ts';

const COLUMNS = [
  'endpoint_id',
  'workspace_id',
  'expression',
  'state',
  'registered_at_ms',
  'next_fire_at_ms',
] as const satisfies readonly (keyof ScheduleRow)[];

/** The fields of an endpoint that its schedule depends on. */
export interface Scheduled {
  readonly id: string;
  readonly workspaceId: string;
  readonly expression: string | undefined;
}

/**
 * The statements that adapt the schedule of an endpoint to its definition. They are committed with it, so none is missed.
 * An unchanged expression leaves the row and its due fire as they are.
 */
export class FollowDefinition {
  readonly #database: Database;
  readonly #known: ReturnType<typeof knowing>;
  readonly #put: ReturnType<typeof putting>;
  readonly #remove: ReturnType<typeof removing>;

  constructor(database: Database) {
    this.#database = database;
    this.#known = knowing(database);
    this.#put = putting(database);
    this.#remove = removing(database);
  }

  /** The current schedules of a workspace, by endpoint. */
  async expressions(workspaceId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.rows(this.#known({ workspace_id: workspaceId }));
    return new Map(rows.map(({ endpoint_id, expression }) => [endpoint_id, expression]));
  }

  statements({ id, workspaceId, expression }: Scheduled, nowMs: number): Statement<never>[] {
    if (expression === undefined) return [this.#remove({ endpoint_id: id })];
    return [
      this.#put({
        endpoint_id: id,
        workspace_id: workspaceId,
        expression,
        state: 'active',
        registered_at_ms: nowMs,
        next_fire_at_ms: nextFireMs(expression, nowMs) ?? null,
      }),
    ];
  }
}

/** The first fire after a moment; undefined for an expression that never fires or cannot be read. */
export function nextFireMs(expression: string, afterMs: number): number | undefined {
  const cron = parseCron(expression);
  return cron.kind === 'cron' ? nextFires(cron.fields, afterMs, 1)[0] : undefined;
}

function knowing({ build }: Database) {
  return reading((it: { workspace_id: string }) =>
    build
      .selectFrom('schedules')
      .select(['endpoint_id', 'expression'])
      .where('workspace_id', '=', it.workspace_id),
  );
}

function putting({ build }: Database) {
  return writing((it: ScheduleRow) =>
    build
      .insertInto('schedules')
      .values(slotsOf(it, COLUMNS))
      .onConflict((conflict) =>
        conflict
          .column('endpoint_id')
          .doUpdateSet({
            expression: it.expression,
            next_fire_at_ms: sql<number>`case when schedules.state = 'paused' then null else cast(${it.next_fire_at_ms} as bigint) end`,
          })
          .where('schedules.expression', '<>', it.expression),
      ),
  );
}

function removing({ build }: Database) {
  return writing((it: Pick<ScheduleRow, 'endpoint_id'>) =>
    build.deleteFrom('schedules').where('endpoint_id', '=', it.endpoint_id),
  );
}

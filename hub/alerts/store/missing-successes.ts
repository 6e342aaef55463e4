import type { AlertEvent } from '@svc/core/alert/event';
import type { SuccessRule } from '@svc/core/alert/no-success';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { PublishedEvents } from './published-events.ts';
import type { MissingSuccessRow } from './table.ts';

/** The rules that wait for a success, and those whose alert was sent (decision 39, alerts). */
export class MissingSuccesses {
  readonly #database: Database;
  readonly #events: Pick<PublishedEvents, 'statementFor'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<PublishedEvents, 'statementFor'>) {
    this.#database = database;
    this.#events = events;
    this.#queries = queriesOf(database);
  }

  /** The enabled rules of all workspaces that wait for a success. */
  async rules(): Promise<SuccessRule[]> {
    return (await this.#database.rows(this.#queries.rules({}))).map((row) => ({
      id: row.id,
      workspaceId: row.workspace_id,
      name: row.name,
      slug: row.slug ?? '',
      noSuccessMins: row.no_success_mins ?? 0,
      createdAtMs: row.created_at_ms,
      alertedAtMs: row.alerted_at_ms ?? undefined,
    }));
  }

  /** Records the alert with its event; false when another hub was first. */
  async alert({ id, workspaceId }: SuccessRule, event: AlertEvent): Promise<boolean> {
    const mark = this.#queries.mark({ rule_id: id, workspace_id: workspaceId, alerted_at_ms: event.atMs });
    return (await this.#database.commit([mark, this.#events.statementFor(event)])) === 'stored';
  }

  /** Ends the alert with its event; false when another hub was first. */
  async resume({ id, alertedAtMs }: SuccessRule, event: AlertEvent): Promise<boolean> {
    const forget = this.#queries.forget({ rule_id: id, alerted_at_ms: alertedAtMs ?? 0 });
    return (await this.#database.commit([forget, this.#events.statementFor(event)])) === 'stored';
  }
}

function queriesOf({ build }: Database) {
  return {
    rules: reading(() =>
      build
        .selectFrom('alert_rules as r')
        .leftJoin('missing_successes as m', 'm.rule_id', 'r.id')
        .select([
          'r.id',
          'r.workspace_id',
          'r.name',
          'r.slug',
          'r.no_success_mins',
          'r.created_at_ms',
          'm.alerted_at_ms',
        ])
        .where('r.no_success_mins', 'is not', null)
        .where('r.enabled', '=', 1)
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb('r.declared_by', 'is', null),
            exists(selectFrom('endpoints as e').select('e.id').whereRef('e.id', '=', 'r.declared_by')),
          ]),
        )
        .orderBy('r.id'),
    ),
    mark: writing(
      (it: MissingSuccessRow) =>
        build
          .insertInto('missing_successes')
          .values(slotsOf(it, ['rule_id', 'workspace_id', 'alerted_at_ms'])),
      { ifExists: 'alerted' },
    ),
    forget: writing(
      (it: Pick<MissingSuccessRow, 'rule_id' | 'alerted_at_ms'>) =>
        build
          .deleteFrom('missing_successes')
          .where('rule_id', '=', it.rule_id)
          .where('alerted_at_ms', '=', it.alerted_at_ms),
      { unlessChanged: 'resumed' },
    ),
  };
}

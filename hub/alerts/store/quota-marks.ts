import type { AlertEvent } from '@svc/core/alert/event';
import type { Plan } from '@svc/core/plan/plans';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { withEvent } from '../../platform/db/unit/statement.ts';
import type { QuotaCrossing, QuotaShare } from '../alert-ports.ts';
import type { PublishedEvents } from './published-events.ts';

type MarkRow = { readonly workspace_id: string; readonly period: string; readonly percent: number };

/** The shares of a quota that were published already, each once in a period. */
export class QuotaMarks {
  readonly #database: Database;
  readonly #events: Pick<PublishedEvents, 'statementFor'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, events: Pick<PublishedEvents, 'statementFor'>) {
    this.#database = database;
    this.#events = events;
    this.#queries = queriesOf(database);
  }

  /** The workspaces of a plan that have used at least `used` in the period and whose crossing is not recorded yet. */
  async crossed(at: QuotaShare & { readonly plan: Plan; readonly used: number }): Promise<QuotaCrossing[]> {
    const rows = await this.#database.rows(this.#queries.crossed(at));
    return rows.map(({ workspace_id, used }) => ({ workspaceId: workspace_id, period: at.period, used }));
  }

  /** Records a crossing and its alert in one transaction; false when it is recorded already. */
  async mark(
    { workspaceId, period, used }: QuotaCrossing,
    percent: number,
    event: AlertEvent,
  ): Promise<boolean> {
    const mark = this.#queries.mark({ workspace_id: workspaceId, period, percent });
    const crossed = withEvent(mark, { kind: 'quota_crossed', workspaceId, period, used, percent });
    return (await this.#database.commit([crossed, this.#events.statementFor(event)])) === 'stored';
  }
}

function queriesOf({ build }: Database) {
  return {
    crossed: reading((it: QuotaShare & { plan: Plan; used: number }) =>
      build
        .selectFrom('quota')
        .innerJoin('workspaces', 'workspaces.id', 'quota.workspace_id')
        .leftJoin('quota_marks', (join) =>
          join
            .onRef('quota_marks.workspace_id', '=', 'quota.workspace_id')
            .onRef('quota_marks.period', '=', 'quota.period')
            .on('quota_marks.percent', '=', it.percent),
        )
        .select(['quota.workspace_id', 'quota.used'])
        .where('quota.period', '=', it.period)
        .where('workspaces.plan', '=', it.plan)
        .where('quota.used', '>=', it.used)
        .where('quota_marks.percent', 'is', null),
    ),
    mark: writing(
      (it: MarkRow) =>
        build.insertInto('quota_marks').values(slotsOf(it, ['workspace_id', 'period', 'percent'])),
      { ifExists: 'marked' },
    ),
  };
}

import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { HostedClaim, QuotaClaim, UsedMonth } from '../execution-ports.ts';

/**
 * The usage of a workspace in a period. It is counted in the unit of the execution that uses it, so it is exact under any
 * concurrency (decision 46, plans and quotas).
 */
export class Quota {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async used(workspaceId: string, period: string): Promise<number> {
    const row = await firstRow(this.#database, this.#queries.used({ workspace_id: workspaceId, period }));
    return row?.used ?? 0;
  }

  /** The newest months with executions, newest first. */
  async months(workspaceId: string, limit: number): Promise<UsedMonth[]> {
    const rows = await this.#database.reader.rows(
      // A month has up to two rows.
      this.#queries.months({ workspace_id: workspaceId, limit: 2 * limit }),
    );
    const used = new Map(rows.map(({ period, used: count }) => [period, Number(count)]));
    const months = rows.map(({ period }) => period).filter((period) => !period.endsWith(HOSTED_ENDING));
    return months.slice(0, limit).map((period) => ({
      period,
      executions: used.get(period) ?? 0,
      hosted: used.get(`${period}${HOSTED_ENDING}`) ?? 0,
    }));
  }

  /**
   * Adds one unit unless the limit is reached. A claim below 1 must be refused earlier, because the first claim creates the row.
   */
  take({ workspaceId, period, limit }: QuotaClaim): Statement<'quota_exceeded'> {
    const key = { workspace_id: workspaceId, period };
    return limit === undefined ? this.#queries.count(key) : this.#queries.take({ ...key, limit });
  }

  /** The same for the hosted runner's quota of the month. */
  takeHosted(workspaceId: string, { period, limit }: HostedClaim): Statement<'hosted_quota_exceeded'> {
    const key = { workspace_id: workspaceId, period };
    return limit === undefined ? this.#queries.count(key) : this.#queries.takeHosted({ ...key, limit });
  }

  refund({ workspaceId, period }: QuotaClaim): Statement<never> {
    return this.#queries.refund({ workspace_id: workspaceId, period });
  }

  /** Returns the quota, including the quota of the hosted runner. */
  refundAll(claim: QuotaClaim): Statement<never>[] {
    const { hosted } = claim;
    const ofHosted = hosted === undefined ? [] : [this.refund({ ...claim, period: hosted.period })];
    return [this.refund(claim), ...ofHosted];
  }
}

/** As `hostedPeriod` writes it. */
const HOSTED_ENDING = ' hosted';

interface Key {
  readonly workspace_id: string;
  readonly period: string;
}

function queriesOf({ build }: Database) {
  const oneMore = (it: Key) =>
    build.insertInto('quota').values({ workspace_id: it.workspace_id, period: it.period, used: 1 });
  const oneMoreWithin = (it: Key & { readonly limit: number }) =>
    oneMore(it).onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'period'])
        .doUpdateSet((row) => ({ used: row('quota.used', '+', 1) }))
        .where('quota.used', '<', it.limit),
    );
  return {
    used: reading((it: Key) =>
      build
        .selectFrom('quota')
        .select('used')
        .where('workspace_id', '=', it.workspace_id)
        .where('period', '=', it.period),
    ),
    months: reading((it: { workspace_id: string; limit: number }) =>
      build
        .selectFrom('quota')
        .select(['period', 'used'])
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('period', 'desc')
        .limit(it.limit),
    ),
    count: writing(
      (it: Key) =>
        oneMore(it).onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'period'])
            .doUpdateSet((row) => ({ used: row('quota.used', '+', 1) })),
        ),
      { contended: true },
    ),
    take: writing(oneMoreWithin, { unlessChanged: 'quota_exceeded', contended: true }),
    takeHosted: writing(oneMoreWithin, { unlessChanged: 'hosted_quota_exceeded', contended: true }),
    refund: writing((it: Key) =>
      build
        .updateTable('quota')
        .set((row) => ({ used: row('used', '-', 1) }))
        .where('workspace_id', '=', it.workspace_id)
        .where('period', '=', it.period)
        .where('used', '>', 0),
    ),
  };
}

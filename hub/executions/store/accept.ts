import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import { type Unit, withEvent } from '../../platform/db/unit/statement.ts';
import type {
  Acceptance,
  ExecutionLedger,
  IdempotencyClaim,
  NewExecution,
  QuotaClaim,
} from '../execution-ports.ts';
import type { HostedSlots } from './hosted-places.ts';
import type { Idempotency } from './idempotency.ts';
import type { Quota } from './quota.ts';
import { firstValues, rowOf } from './row.ts';
import type { ExecutionRow } from './table.ts';

const WAS_THERE: Acceptance = { kind: 'stored', wasThere: true };

/** How an execution comes to be: with its quota and its idempotency row, or not at all. */
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

  /** @param along what else is stored with the execution, or not at all */
  async accept(
    execution: NewExecution,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
    along: Unit<never> = [],
  ): Promise<Acceptance> {
    const unit = [this.#adding(execution), ...along];
    const acceptance = await this.#stored(execution, unit, quota, idempotency);
    if (acceptance === WAS_THERE) this.#database.publish(unit);
    return acceptance;
  }

  async #stored(
    execution: NewExecution,
    unit: Unit<'accepted_already'>,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
  ): Promise<Acceptance> {
    for (;;) {
      const outcome = await this.#store(execution, unit, quota, idempotency);
      if (outcome === 'stored') return { kind: 'stored' };
      if (outcome === 'accepted_already') return WAS_THERE;
      // What is asked for again is answered, though the quota may be used up by now.
      const earlier = idempotency && (await this.#idempotency.find(idempotency, execution.createdAtMs));
      if (earlier?.executionId === execution.id) return WAS_THERE;
      if (earlier) return { kind: 'repeated', ...earlier };
      if (outcome === 'quota_exceeded' && quota) return await this.#withoutQuota(execution.id, quota);
      if (outcome === 'hosted_quota_exceeded') return await this.#withoutHosted(execution.id);
      if (outcome === 'no_place') return { kind: 'no_place' };
      // The row of the key went away between the two: the key is free.
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
    unit: Unit<'accepted_already'>,
    quota?: QuotaClaim,
    idempotency?: IdempotencyClaim,
  ) {
    if (quota?.limit !== undefined && quota.limit < 1) return 'quota_exceeded';
    const { id, createdAtMs } = execution;
    // The quota comes first: its row is the one that all calls of a workspace want; or that of its hosted executions.
    return await this.#database.commit([
      ...(quota
        ? [...this.#places.claims(id, quota), this.#quota.take(quota), ...this.#places.check(id, quota)]
        : []),
      ...(idempotency ? [this.#idempotency.claim(idempotency, id, createdAtMs)] : []),
      ...unit,
    ]);
  }

  #adding(execution: NewExecution) {
    return withEvent(this.#add(rowOf(execution)), { kind: 'execution_accepted', execution });
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

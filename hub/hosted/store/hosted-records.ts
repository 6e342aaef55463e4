import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type HostedSlots, RUNNING_HOSTED } from '../../executions/store/hosted-places.ts';
import type { Transitions } from '../../executions/store/transitions.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { HostedBegun, HostedStart, HostPin } from '../hosted-ports.ts';
import type { HostedRunRow, HostedWorkspaceRow } from './table.ts';

/** The stores that take part in the start of a hosted execution. */
export interface HostedParts {
  readonly places: HostedSlots;
  readonly transitions: Pick<Transitions, 'beginning'>;
  readonly auditWriter: Pick<AuditWriter, 'commit'>;
}

/** The records of the hosted runner besides executions. The end of an execution releases its slot. */
export class HostedRecords {
  readonly #database: Database;
  readonly #parts: HostedParts;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, parts: HostedParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = queriesOf(database);
  }

  /** Begins an execution (queued -> running) with quota, slot and pin, or stores nothing. Repeating it has no effect. */
  async begin({
    executionId,
    process,
    hubId,
    nowMs,
    timeoutSec,
    claim,
    runId,
  }: HostedStart): Promise<HostedBegun> {
    const { name, instance, boot } = process;
    const { places, transitions } = this.#parts;
    const pin = runId === undefined ? [] : [this.#pinning({ runId, instance }, claim.workspaceId, nowMs)];
    const outcome = await this.#database.commit([
      ...places.claims(executionId, claim),
      ...places.check(executionId, claim),
      ...pin,
      transitions.beginning(executionId, { name, instance, boot, hubId, nowMs }),
      this.#queries.setTimeout({ id: executionId, timeout_sec: timeoutSec }),
    ]);
    return outcome === 'stored' ? 'begun' : outcome;
  }

  /** The number of running hosted executions of a workspace, across all hubs. */
  async running(workspaceId: string): Promise<number> {
    const row = await firstRow(this.#database, this.#queries.running({ workspace_id: workspaceId }));
    return Number(row?.count ?? 0);
  }

  /** The host that the run is pinned to. */
  async hostOf(runId: string): Promise<string | undefined> {
    return (await firstRow(this.#database, this.#queries.hostOf({ run_id: runId })))?.instance;
  }

  async mayUseNetwork(workspaceId: string): Promise<boolean> {
    const row = await firstRow(this.#database, this.#queries.network({ workspace_id: workspaceId }));
    return row?.network === 1;
  }

  async setNetwork(isAllowed: boolean, entry: AuditEntry): Promise<void> {
    const row = { workspace_id: entry.workspaceId, turn: 0, network: isAllowed ? 1 : 0 };
    await this.#parts.auditWriter.commit([this.#queries.setNetwork(row)], entry);
  }

  #pinning({ runId, instance }: HostPin, workspaceId: string, nowMs: number): Statement<'pinned_elsewhere'> {
    const row = { run_id: runId, workspace_id: workspaceId, instance, pinned_at_ms: nowMs };
    return this.#queries.pin(row);
  }
}

const RUN_COLUMNS = ['run_id', 'workspace_id', 'instance', 'pinned_at_ms'] as const;

function queriesOf({ build }: Database) {
  return {
    running: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('executions')
        .select((row) => row.fn.countAll().as('count'))
        .where('workspace_id', '=', it.workspace_id)
        .where(RUNNING_HOSTED),
    ),
    hostOf: reading((it: { run_id: string }) =>
      build.selectFrom('hosted_runs').select('instance').where('run_id', '=', it.run_id),
    ),
    network: reading((it: { workspace_id: string }) =>
      build.selectFrom('hosted_workspaces').select('network').where('workspace_id', '=', it.workspace_id),
    ),
    // The plan may lower the endpoint's limits.
    setTimeout: writing((it: { id: string; timeout_sec: number }) =>
      build.updateTable('executions').set({ timeout_sec: it.timeout_sec }).where('id', '=', it.id),
    ),
    pin: writing(
      (it: HostedRunRow) =>
        build
          .insertInto('hosted_runs')
          .values(slotsOf(it, RUN_COLUMNS))
          .onConflict((conflict) =>
            conflict
              .column('run_id')
              .doUpdateSet({ instance: it.instance })
              .where('hosted_runs.instance', '=', it.instance),
          ),
      { unlessChanged: 'pinned_elsewhere' },
    ),
    setNetwork: writing((it: HostedWorkspaceRow) =>
      build
        .insertInto('hosted_workspaces')
        .values(slotsOf(it, ['workspace_id', 'turn', 'network']))
        .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ network: it.network })),
    ),
  };
}

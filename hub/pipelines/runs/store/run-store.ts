import type { Change } from '@svc/core/pipeline/run/draft';
import type { RetainedRun } from '@svc/core/pipeline/run/new-run';
import { hasRunEnded, type NodeRecord, type RunHead } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import type { PublishedEvents } from '../../../alerts/store/published-events.ts';
import { approvalQueries } from '../../../approvals/store/queries.ts';
import { approvalRow } from '../../../approvals/store/row.ts';
import type { StepExecution } from '../../../executions/execution-ports.ts';
import type { Idempotency } from '../../../executions/store/idempotency.ts';
import type { Quota } from '../../../executions/store/quota.ts';
import { executionOfRow, executionRow } from '../../../executions/store/row.ts';
import type { ExecutionRow } from '../../../executions/store/table.ts';
import { type Database, firstRow } from '../../../platform/db/database.ts';
import { type UnitOfWork, withEvent } from '../../../platform/db/unit/statement.ts';
import type { PageOfItems } from '../../../platform/page-of-items.ts';
import type {
  ChangeStored,
  NewRunParts,
  PipelineRun,
  RecordedInput,
  RunFacts,
  RunFilter,
  RunIdempotency,
  StartStored,
  StepStart,
  TurnWrites,
} from '../run-ports.ts';
import { countFailed, runPage, runQueries } from './queries.ts';
import { headRow, inputColumns, inputOf, nodeColumns, nodeOf, runHeadOf, runOf, runRow } from './row.ts';

/** Attempts to store a run whose key another request had at the commit, and nobody has afterwards. */
const MAX_ATTEMPTS = 10;

/** The stores that take part in transactions of runs. */
export interface RunParts {
  readonly quota: Quota;
  readonly idempotency: Idempotency;
  readonly events: Pick<PublishedEvents, 'statementFor'>;
}

/** Pipeline runs with their nodes, and the executions that they make. */
export class PipelineRuns {
  readonly #database: Database;
  readonly #parts: RunParts;
  readonly #queries: ReturnType<typeof runQueries>;
  readonly #approvals: ReturnType<typeof approvalQueries>;

  constructor(database: Database, parts: RunParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = runQueries(database);
    this.#approvals = approvalQueries(database);
  }

  /** Stores run, nodes, input, claims and request in one transaction. Repeating it with the same id has no effect. */
  async start(run: RunFacts, state: RetainedRun, parts: NewRunParts): Promise<StartStored> {
    const { claims } = parts;
    if (await this.#hasTooMany(run.workspaceId, parts.maxOpen)) return await this.#withoutRoom(run, claims);
    const adding = this.#adding(run, state, parts);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const outcome = await this.#database.commit([
        ...claims.map((claim) => this.#parts.idempotency.claim(claimOf(claim), run.id, run.createdAtMs)),
        ...adding,
      ]);
      if (outcome === 'stored') return { kind: 'stored' };
      const earlier = outcome === 'repeated' ? await this.#claimed(claims, run.createdAtMs) : undefined;
      // A run with this id can only be this one: an answer to an earlier attempt was lost.
      if (outcome !== 'repeated' || earlier?.runId === run.id) {
        this.#database.publish(adding);
        return { kind: 'stored' };
      }
      if (earlier !== undefined) return { kind: 'repeated', ...earlier };
      // The row of the key was removed in between, so the key is free.
    }
    throw refuse('unavailable', 'many requests use this idempotency key at the same time; try again');
  }

  /** Stores a change by the hub that has the run. Repeating the same change, as after a lost answer, has no effect. */
  async change(
    run: Pick<PipelineRun, 'id' | 'workspaceId' | 'slug' | 'hubId'>,
    fromRevision: number,
    { head, nodes }: Change,
    { steps, alerts }: TurnWrites,
  ): Promise<ChangeStored> {
    const quotas = steps.flatMap(({ quota }) => quota ?? []);
    if (quotas.some(({ limit }) => limit !== undefined && limit < 1)) return 'quota_exceeded';
    const { id, hubId } = run;
    const { changeNode } = this.#queries;
    const change = this.#queries.changeHead({
      ...{ id, hub_id: hubId, from_revision: fromRevision, ...headRow(head) },
    });
    const begun = steps.map(({ execution }) => execution);
    const changed = withEvent(change, { kind: 'run_changed', run, head, nodes, steps: begun });
    const starts = steps.flatMap((step) => this.#starting(step));
    // The quota comes first, because its row is contended by all executions of a workspace.
    const outcome = await this.#database.commit([
      ...quotas.map((quota) => this.#parts.quota.take(quota)),
      changed,
      ...nodes.map((node) => changeNode({ run_id: id, node: node.id, ...nodeColumns(node, head.revision) })),
      ...starts,
      // No later step can need them (decision 9, values of a call).
      ...(hasRunEnded(head) ? [this.#queries.eraseSecrets({ run_id: id })] : []),
      ...alerts.map((event) => this.#parts.events.statementFor(event)),
    ]);
    if (outcome !== 'overtaken') return outcome;
    // Only its hub changes a run, so the stored revision is this change, whose answer was lost.
    const row = await firstRow(this.#database, this.#queries.head({ id }));
    if (row?.hub_id !== hubId || row.revision !== head.revision) return 'overtaken';
    this.#database.publish([changed, ...starts]);
    return 'stored';
  }

  /** Stores a cancellation request for the hub that has the run; false when the run has ended or does not exist. */
  async askCancel(runId: string, nowMs: number): Promise<boolean> {
    const ask = this.#queries.askCancel({ id: runId, now_ms: nowMs });
    const unit = [withEvent(ask, { kind: 'run_cancel_requested', runId })];
    return (await this.#database.commit(unit)) === 'stored';
  }

  async find(runId: string): Promise<PipelineRun | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ id: runId }));
    return row && runOf(row);
  }

  async input(runId: string): Promise<RecordedInput | undefined> {
    const row = await firstRow(this.#database, this.#queries.input({ run_id: runId }));
    return row && inputOf(row);
  }

  async head(runId: string): Promise<RunHead | undefined> {
    const row = await firstRow(this.#database, this.#queries.head({ id: runId }));
    return row && runHeadOf(row);
  }

  /** All nodes of a run, or those that changed after this revision. */
  async nodes(runId: string, afterRevision = -1): Promise<NodeRecord[]> {
    const query = this.#queries.nodes({ run_id: runId, revision: afterRevision });
    return (await this.#database.rows(query)).map(nodeOf);
  }

  /** The sealed signed request that started the run, if any. */
  async sealedRequest(runId: string): Promise<string | undefined> {
    const row = await firstRow(this.#database, this.#queries.sealedRequest({ run_id: runId }));
    return row?.sealed_request ?? undefined;
  }

  /** The newest first. */
  list(filter: RunFilter): Promise<PageOfItems<PipelineRun>> {
    return runPage(this.#database, filter);
  }

  /** The number of failed steps of each of these runs. */
  async failedSteps(runIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (runIds.length === 0) return new Map();
    const rows = await this.#database.reader.rows(countFailed(this.#database, runIds));
    return new Map(rows.map(({ run_id, count }) => [run_id, Number(count)]));
  }

  /** The executions of its steps, or of one step, in the order of their creation. */
  async executions(runId: string, step?: string): Promise<StepExecution[]> {
    const { executions, executionsOfStep } = this.#queries;
    const query =
      step === undefined ? executions({ run_id: runId }) : executionsOfStep({ run_id: runId, step });
    return (await this.#database.rows(query)).flatMap(stepExecution);
  }

  /** The executions of a hub's unfinished runs that have changed since their node was stored. */
  async moved(hubId: string): Promise<StepExecution[]> {
    return (await this.#database.rows(this.#queries.moved({ hub_id: hubId }))).flatMap(stepExecution);
  }

  /** The ids of a hub's unfinished runs. The hub continues them at its start, and another hub after its lease expired. */
  async unfinished(hubId: string): Promise<string[]> {
    return ids(await this.#database.rows(this.#queries.unfinished({ hub_id: hubId })));
  }

  /** A hub's unfinished runs with a cancellation request that are not ending yet. */
  async cancelRequests(hubId: string): Promise<string[]> {
    return ids(await this.#database.rows(this.#queries.cancelRequests({ hub_id: hubId })));
  }

  /** The ids of a workspace's unfinished runs. */
  async unfinishedOf(workspaceId: string): Promise<string[]> {
    return ids(await this.#database.rows(this.#queries.unfinishedOf({ workspace_id: workspaceId })));
  }

  async owners(): Promise<string[]> {
    return (await this.#database.rows(this.#queries.owners({}))).map(({ hub_id }) => hub_id);
  }

  /** Moves a run from one hub to another by compare-and-set; false when another hub has it. */
  async claim(runId: string, fromHubId: string, toHubId: string): Promise<boolean> {
    const claim = this.#queries.claim({ id: runId, from_hub: fromHubId, to_hub: toHubId });
    return (await this.#database.commit([claim])) === 'stored';
  }

  /** Counts concurrently with other starts, so concurrent requests may exceed the limit slightly. */
  async #hasTooMany(workspaceId: string, maxOpen: number): Promise<boolean> {
    const query = this.#queries.open({ workspace_id: workspaceId, limit: maxOpen });
    return Number((await firstRow(this.#database, query))?.count ?? 0) >= maxOpen;
  }

  /** Existing rows stay, for a repetition after a lost answer. */
  async #withoutRoom(run: RunFacts, claims: readonly RunIdempotency[]): Promise<StartStored> {
    if ((await this.head(run.id)) !== undefined) return { kind: 'stored' };
    const earlier = await this.#claimed(claims, run.createdAtMs);
    return earlier === undefined ? { kind: 'too_many_open' } : { kind: 'repeated', ...earlier };
  }

  #adding(run: RunFacts, { head, nodes }: RetainedRun, { input, sealedRequest }: NewRunParts) {
    const { id: run_id } = run;
    const { addRun, addInput, addNode } = this.#queries;
    return [
      withEvent(addRun(runRow(run, head)), { kind: 'run_started', run, head }),
      addInput({ run_id, ...inputColumns(input), sealed_request: sealedRequest ?? null }),
      ...[...nodes.values()].map((node) =>
        addNode({ run_id, node: node.id, ...nodeColumns(node, head.revision) }),
      ),
    ];
  }

  #starting({ execution, approval }: StepStart): UnitOfWork<never> {
    const add = this.#queries.addExecution(executionRow(execution));
    if (approval === undefined) return [add];
    const open = this.#approvals.add(approvalRow(approval));
    return [add, withEvent(open, { kind: 'approval_opened', approval })];
  }

  async #claimed(claims: readonly RunIdempotency[], nowMs: number) {
    for (const claim of claims) {
      const earlier = await this.#parts.idempotency.find(claimOf(claim), nowMs);
      if (earlier !== undefined) return { runId: earlier.executionId, requestHash: earlier.requestHash };
    }
    return undefined;
  }
}

/** Pipelines and endpoints share the table of keys, because their ids are distinct. */
function claimOf({ pipelineId, ...claim }: RunIdempotency) {
  return { ...claim, endpointId: pipelineId };
}

function stepExecution(row: ExecutionRow): StepExecution[] {
  const { step, ...execution } = executionOfRow(row);
  return step === undefined ? [] : [{ ...execution, step }];
}

function ids(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

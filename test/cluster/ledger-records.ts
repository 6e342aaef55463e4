import type { ApprovalState } from '@svc/core/approval/approval';
import type { ExecutionState } from '@svc/core/execution/state';
import type { NodeState, RunState } from '@svc/core/pipeline/run/state';
import { unpacked } from '@svc/hub/platform/db/unit/packed-bytes';
import type { Ledger } from './ledger.ts';

export interface ExecutionRecord {
  readonly id: string;
  readonly workspace_id: string;
  readonly slug: string;
  readonly created_at_ms: number;
  readonly endpoint_id: string;
  readonly state: ExecutionState;
  readonly reason: string | null;
  readonly args: string;
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly late: number;
  readonly last_seq: number;
  readonly stored_bytes: number;
  readonly scheduled_for_ms: number | null;
  readonly missed_fires: number | null;
  readonly run_id: string | null;
  readonly step: string | null;
  readonly attempt: number | null;
}

interface RunRecord {
  readonly id: string;
  readonly state: RunState;
  readonly open_nodes: number;
  readonly active_nodes: number;
  readonly waiting_nodes: number;
}

interface NodeRow {
  readonly run_id: string;
  readonly node: string;
  readonly state: NodeState;
  readonly attempt: number;
  readonly awaits: number;
}

interface ApprovalRecord {
  readonly id: string;
  readonly execution_id: string;
  readonly state: ApprovalState;
}

export interface CountChangeRecord {
  readonly workspace_id: string;
  readonly slug: string;
  readonly created_at_ms: number;
  readonly state: ExecutionState;
  readonly duration_ms: number | null;
  readonly change: number;
}

/** The source of statistics, with `CountChangeRecord`; the slug is empty for the whole workspace. */
export interface CountRecord {
  readonly workspace_id: string;
  readonly slug: string;
  /** An hour or a day. */
  readonly span_ms: number;
  readonly from_ms: number;
  readonly state: ExecutionState;
  readonly bucket: number;
  readonly count: number;
}

/** The counts of an hour or a day that a hub has packed (decision 114, packed counts). */
export interface PackedCountRecord extends Omit<CountRecord, 'bucket' | 'count'> {
  /** Duration bucket, count, and so on, separated by commas. */
  readonly durations: string;
}

/** The records that the invariants check, once nothing is unfinished. */
export interface Records {
  readonly executions: ReadonlyMap<string, ExecutionRecord>;
  readonly chunks: ReadonlyMap<string, readonly ChunkRow[]>;
  readonly runs: readonly RunRecord[];
  readonly nodes: readonly NodeRow[];
  readonly approvals: readonly ApprovalRecord[];
  readonly decided: ReadonlyMap<string, readonly string[]>;
  readonly counts: readonly CountRecord[];
  readonly packedCounts: readonly PackedCountRecord[];
  /** Changes that are not in the counts yet. */
  readonly countChanges: readonly CountChangeRecord[];
  readonly quotaUsed: number;
  readonly keys: readonly { readonly key: string; readonly execution_id: string }[];
  readonly audit: readonly { readonly workspace_id: string; readonly seq: number }[];
}

export interface ChunkRow {
  readonly execution_id: string;
  readonly seq: number;
  readonly sse: Uint8Array;
  readonly endings: string | null;
}

/** How many executions are in each state, and runs in theirs. */
export async function ledgerSummary(ledger: Ledger): Promise<Record<string, number>> {
  const counts = await ledger.rows<{ state: string; count: number }>(
    `select state, count(*) as count from executions group by state
     union all select 'run ' || state, count(*) from pipeline_runs group by state
     union all select 'approval ' || state, count(*) from approvals group by state
     union all select 'fire ' || state, count(*) from executions where scheduled_for_ms is not null group by state`,
  );
  return Object.fromEntries(counts.map(({ state, count }) => [state, Number(count)]).toSorted());
}

/** How much has not ended. */
export async function underWay(ledger: Ledger): Promise<number> {
  const [row] = await ledger.rows<{ count: number }>(
    `select (select count(*) from executions where ended_at_ms is null and state in ('pending_approval', 'queued', 'running'))
          + (select count(*) from pipeline_runs where ended_at_ms is null) as count`,
  );
  return Number(row?.count ?? 0);
}

export async function readRecords(ledger: Ledger): Promise<Records> {
  const executions = await ledger.rows<ExecutionRecord>('select * from executions');
  const stored = await ledger.rows<ChunkRow>(
    `${ledger.outputTables.map((table) => `select * from ${table}`).join(' union all ')} order by execution_id, seq`,
  );
  const chunks = stored.map((chunk) => ({ ...chunk, sse: unpacked(chunk.sse) }));
  const audit = await ledger.rows<{ workspace_id: string; seq: number; action: string; text: string }>(
    'select * from audit_entries order by workspace_id, seq',
  );
  const [quota] = await ledger.rows<{ used: number | null }>('select sum(used) as used from quota');
  return {
    executions: new Map(executions.map((one) => [one.id, one])),
    chunks: Map.groupBy(chunks, (one) => one.execution_id),
    runs: await ledger.rows('select * from pipeline_runs'),
    nodes: await ledger.rows('select * from pipeline_nodes'),
    approvals: await ledger.rows('select * from approvals'),
    decided: decisionsIn(audit),
    quotaUsed: Number(quota?.used ?? 0),
    counts: await ledger.rows(
      'select workspace_id, slug, span_ms, from_ms, state, bucket, sum(count) as count from execution_counts group by 1, 2, 3, 4, 5, 6',
    ),
    packedCounts: await ledger.rows('select * from execution_counts_packed'),
    countChanges: await ledger.rows('select * from execution_count_changes'),
    keys: await ledger.rows('select * from idempotency'),
    audit,
  };
}

/** By approval: the decisions that are in the audit log. */
function decisionsIn(audit: readonly { action: string; text: string }[]): Map<string, string[]> {
  const decided = new Map<string, string[]>();
  for (const { action, text } of audit) {
    if (action !== 'approval.approved' && action !== 'approval.denied') continue;
    const { target } = JSON.parse(text) as { target: { id: string } };
    decided.set(target.id, [...(decided.get(target.id) ?? []), action.slice('approval.'.length)]);
  }
  return decided;
}

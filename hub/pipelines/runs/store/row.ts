import { present } from '@svc/core/config/definition/present';
import { isActive } from '@svc/core/pipeline/run/draft';
import type { NodeRecord, RunHead } from '@svc/core/pipeline/run/state';
import { rowOf } from '../../../platform/db/unit/record-of-row.ts';
import type { PipelineRun, RecordedInput, RunFacts } from '../run-ports.ts';
import type { PipelineNodeRow, PipelineRunInputRow, PipelineRunRow } from './table.ts';

export const RUN_COLUMNS = [
  'id',
  'workspace_id',
  'pipeline_id',
  'pipeline_version',
  'slug',
  'trigger',
  'caller_kind',
  'caller_id',
  'rerun_of',
  'read_token_hash',
  'hub_id',
  'created_at_ms',
  'cancel_asked_at_ms',
  'state',
  'revision',
  'stopping',
  'stopped_by',
  'open_nodes',
  'active_nodes',
  'waiting_nodes',
  'started_at_ms',
  'ended_at_ms',
] as const satisfies readonly (keyof PipelineRunRow)[];

export const HEAD_COLUMNS = [
  'state',
  'revision',
  'stopping',
  'stopped_by',
  'open_nodes',
  'active_nodes',
  'waiting_nodes',
  'started_at_ms',
  'ended_at_ms',
] as const satisfies readonly (keyof PipelineRunRow)[];

export type HeadRow = Pick<PipelineRunRow, (typeof HEAD_COLUMNS)[number]>;

export const NODE_COLUMNS = [
  'run_id',
  'node',
  'revision',
  'state',
  'attempt',
  'awaits',
  'record',
] as const satisfies readonly (keyof PipelineNodeRow)[];

export function runRow(run: RunFacts, head: RunHead): PipelineRunRow {
  return { ...rowOf(run), cancel_asked_at_ms: null, ...headRow(head) };
}

export function headRow(head: RunHead): HeadRow {
  return {
    state: head.state,
    revision: head.revision,
    stopping: head.stopping ?? null,
    stopped_by: head.stoppedBy ?? null,
    open_nodes: head.open,
    active_nodes: head.active,
    waiting_nodes: head.waiting,
    started_at_ms: head.startedAtMs ?? null,
    ended_at_ms: head.endedAtMs ?? null,
  };
}

export function runHeadOf(row: HeadRow): RunHead {
  return {
    state: row.state,
    revision: row.revision,
    open: row.open_nodes,
    active: row.active_nodes,
    waiting: row.waiting_nodes,
    ...present({
      stopping: row.stopping ?? undefined,
      stoppedBy: row.stopped_by ?? undefined,
      startedAtMs: row.started_at_ms ?? undefined,
      endedAtMs: row.ended_at_ms ?? undefined,
    }),
  };
}

export function runOf(row: PipelineRunRow): PipelineRun {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    pipelineId: row.pipeline_id,
    pipelineVersion: row.pipeline_version,
    slug: row.slug,
    trigger: row.trigger,
    callerKind: row.caller_kind,
    callerId: row.caller_id ?? undefined,
    rerunOf: row.rerun_of ?? undefined,
    readTokenHash: row.read_token_hash ?? undefined,
    hubId: row.hub_id,
    createdAtMs: row.created_at_ms,
    cancelAskedAtMs: row.cancel_asked_at_ms ?? undefined,
    head: runHeadOf(row),
  };
}

type InputColumns = Pick<PipelineRunInputRow, 'input' | 'sealed_input' | 'sealed_secrets'>;

/**
 * NOTE: `input` is not valid JSON if the input is sealed. A hub of an earlier version, which knows no other column, cannot
 * continue such a run. It leaves the run to a newer hub instead of running its steps without their values.
 */
export function inputColumns(input: RecordedInput): InputColumns {
  return input.kind === 'plain'
    ? { input: input.fields, sealed_input: null, sealed_secrets: null }
    : { input: '', sealed_input: input.fields, sealed_secrets: input.secrets ?? null };
}

export function inputOf({ input, sealed_input, sealed_secrets }: InputColumns): RecordedInput {
  return sealed_input === null
    ? { kind: 'plain', fields: input }
    : { kind: 'sealed', fields: sealed_input, secrets: sealed_secrets ?? undefined };
}

/** The changing columns of a node. */
export function nodeColumns(record: NodeRecord, revision: number) {
  const awaits = isActive(record) && record.retryAtMs === undefined ? 1 : 0;
  const { state, attempt } = record;
  return { revision, state, attempt, awaits, record: JSON.stringify(record) };
}

export function nodeOf({ record }: Pick<PipelineNodeRow, 'record'>): NodeRecord {
  return JSON.parse(record) as NodeRecord;
}

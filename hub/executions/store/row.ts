import type { ReceivedFile } from '@svc/core/execution/received-file';
import { sql } from 'kysely';
import { slotsOf } from '../../platform/db/unit/precompile.ts';
import type { Execution, NewExecution, StepOf } from '../execution-ports.ts';
import type { ExecutionRow } from './table.ts';

export const EXECUTION_COLUMNS = [
  'id',
  'workspace_id',
  'endpoint_id',
  'endpoint_version',
  'slug',
  'definition_hash',
  'state',
  'reason',
  'trigger',
  'caller_kind',
  'caller_id',
  'args',
  'sealed_args',
  'agent_name',
  'agent_instance',
  'agent_boot',
  'hub_id',
  'asynchronous',
  'timeout_sec',
  'created_at_ms',
  'read_token_hash',
  'scheduled_for_ms',
  'missed_fires',
  'cancel_asked_at_ms',
  'started_at_ms',
  'ended_at_ms',
  'exit_code',
  'duration_ms',
  'error',
  'error_code',
  'data',
  'late',
  'stored_bytes',
  'last_seq',
  'queued_at_ms',
  'run_id',
  'step',
  'attempt',
  'step_env',
  'step_agent',
  'callback_url',
  'files',
] as const satisfies readonly (keyof ExecutionRow)[];

const LATER: ReadonlySet<keyof ExecutionRow> = new Set([
  'missed_fires',
  'cancel_asked_at_ms',
  'exit_code',
  'duration_ms',
  'error',
  'error_code',
  'data',
  'late',
  'stored_bytes',
  'last_seq',
  'queued_at_ms',
]);

const FIRST_COLUMNS = EXECUTION_COLUMNS.filter((column) => !LATER.has(column));
const NOTHING_YET = { late: sql.lit(0), stored_bytes: sql.lit(0), last_seq: sql.lit(0) };

/**
 * The values of a new execution for its insertion. Columns that are always null are part of the statement's text, because
 * every value is sent to the writer thread with each call.
 */
export function firstValues(slots: ExecutionRow) {
  return { ...slotsOf(slots, FIRST_COLUMNS), ...NOTHING_YET };
}

/** The first row of an execution; a rejected one includes its end. */
export function executionRow(execution: NewExecution): ExecutionRow {
  const { state, createdAtMs } = execution;
  return {
    id: execution.id,
    workspace_id: execution.workspaceId,
    endpoint_id: execution.endpointId,
    endpoint_version: execution.endpointVersion ?? null,
    slug: execution.slug,
    definition_hash: execution.definitionHash,
    state,
    reason: execution.reason ?? null,
    trigger: execution.trigger,
    caller_kind: execution.callerKind,
    caller_id: execution.callerId ?? null,
    args: execution.args,
    sealed_args: execution.sealedArgs ?? null,
    agent_name: execution.agentName ?? null,
    agent_instance: execution.agentInstance ?? null,
    agent_boot: execution.agentBoot ?? null,
    hub_id: execution.hubId,
    asynchronous: execution.asynchronous ? 1 : 0,
    timeout_sec: execution.timeoutSec,
    created_at_ms: createdAtMs,
    read_token_hash: execution.readTokenHash ?? null,
    scheduled_for_ms: execution.scheduledForMs ?? null,
    missed_fires: null,
    cancel_asked_at_ms: null,
    started_at_ms: state === 'running' ? createdAtMs : null,
    ended_at_ms: state === 'rejected' ? createdAtMs : null,
    exit_code: null,
    duration_ms: null,
    error: null,
    error_code: null,
    data: null,
    late: 0,
    stored_bytes: 0,
    last_seq: 0,
    queued_at_ms: null,
    run_id: execution.step?.runId ?? null,
    step: execution.step?.id ?? null,
    attempt: execution.step?.attempt ?? null,
    step_env: execution.step === undefined ? null : JSON.stringify(execution.step.env),
    step_agent: execution.step?.agentName ?? null,
    callback_url: execution.callbackUrl ?? null,
    files: execution.files === undefined ? null : JSON.stringify(execution.files),
  };
}

export function executionOfRow(row: ExecutionRow): Execution {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    endpointId: row.endpoint_id,
    endpointVersion: row.endpoint_version ?? undefined,
    slug: row.slug,
    definitionHash: row.definition_hash,
    state: row.state,
    reason: row.reason ?? undefined,
    trigger: row.trigger,
    callerKind: row.caller_kind,
    callerId: row.caller_id ?? undefined,
    args: row.args,
    sealedArgs: row.sealed_args ?? undefined,
    agentName: row.agent_name ?? undefined,
    agentInstance: row.agent_instance ?? undefined,
    agentBoot: row.agent_boot ?? undefined,
    hubId: row.hub_id,
    asynchronous: row.asynchronous === 1,
    timeoutSec: row.timeout_sec,
    createdAtMs: row.created_at_ms,
    readTokenHash: row.read_token_hash ?? undefined,
    scheduledForMs: row.scheduled_for_ms ?? undefined,
    missedFires: row.missed_fires ?? undefined,
    cancelRequestedAtMs: row.cancel_asked_at_ms ?? undefined,
    startedAtMs: row.started_at_ms ?? undefined,
    endedAtMs: row.ended_at_ms ?? undefined,
    exitCode: row.exit_code ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    error: row.error ?? undefined,
    errorCode: row.error_code ?? undefined,
    data: row.data ?? undefined,
    late: row.late === 1,
    storedBytes: row.stored_bytes,
    lastSeq: row.last_seq,
    queuedAtMs: row.queued_at_ms ?? undefined,
    files: row.files === null ? undefined : (JSON.parse(row.files) as ReceivedFile[]),
    step: stepOf(row),
    callbackUrl: row.callback_url ?? undefined,
  };
}

function stepOf({ run_id, step, attempt, step_env, step_agent }: ExecutionRow): StepOf | undefined {
  if (run_id === null || step === null || attempt === null) return undefined;
  const env = JSON.parse(step_env ?? '{}') as StepOf['env'];
  return { runId: run_id, id: step, attempt, env, agentName: step_agent ?? undefined };
}

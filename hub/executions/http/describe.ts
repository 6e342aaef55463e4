import { hasEnded } from '@svc/core/execution/state';
import { time } from '../../platform/http/time.ts';
import type { Execution } from '../execution-ports.ts';
import type { ExecutionLinks } from './links.ts';

/** An execution as it is listed. */
export function describeExecution(execution: Execution, { statusUrl, streamUrl }: ExecutionLinks) {
  const { id, slug, state, reason, trigger, late, errorCode } = execution;
  return {
    execution_id: id,
    endpoint: slug,
    status: state,
    reason: reason ?? undefined,
    late: late || undefined,
    trigger,
    run_id: execution.step?.runId,
    step: execution.step?.id,
    scheduled_for: time(execution.scheduledForMs) ?? undefined,
    missed_fires: execution.missedFires,
    exit_code: execution.exitCode,
    duration_ms: execution.durationMs,
    error: execution.error,
    code: errorCode,
    created_at: time(execution.createdAtMs),
    started_at: time(execution.startedAtMs),
    ended_at: time(execution.endedAtMs),
    agent_name: execution.agentName ?? null,
    endpoint_version: execution.endpointVersion ?? null,
    status_url: statusUrl,
    stream_url: streamUrl,
  };
}

/** The part of a result that is in the record: `data` as the transform gave it, numbers and all. */
export function withData(description: object, { state, data }: Execution): string {
  const json = JSON.stringify(description);
  return hasEnded(state) && data !== undefined ? `${json.slice(0, -1)},"data":${data}}` : json;
}

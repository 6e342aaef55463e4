import { hasEnded } from '@svc/core/execution/state';
import { oncePerKey } from '@svc/core/once-per-key';
import type { Accounts } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import { time } from '../../platform/http/json-response.ts';
import type { Execution } from '../execution-ports.ts';
import { ITS_SCHEDULE, requesterOf } from '../requester.ts';
import type { ExecutionLinks } from './links.ts';

interface RequesterPorts {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
}

type Called = Pick<Execution, 'trigger' | 'callerKind' | 'callerId' | 'workspaceId'>;

/** The name of the caller, for people; a revoked key keeps its name. */
export async function requestedBy(
  ports: RequesterPorts,
  { trigger, callerKind, callerId, workspaceId }: Called,
): Promise<string> {
  if (trigger === 'schedule') return ITS_SCHEDULE.name;
  if (trigger === 'pipeline') return 'a run of a pipeline';
  if (callerKind === 'anonymous') return 'somebody without a key';
  const { name } = await requesterOf(ports, {
    trigger,
    callerKind,
    callerId,
    from: undefined,
    target: { workspaceId },
  });
  return name;
}

/** The names of the callers on a page, each loaded once. */
export function requestersOf(ports: RequesterPorts, executions: readonly Called[]): Promise<string[]> {
  const nameOf = oncePerKey(
    ({ trigger, callerKind, callerId }: Called) => `${trigger} ${callerKind} ${callerId}`,
    (one) => requestedBy(ports, one),
  );
  return Promise.all(executions.map((one) => nameOf(one)));
}

/** An execution in a list. */
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

/** A value may be as long as a file, and a list has many calls. */
const MAX_LISTED_CHARS = 200;

/** The values of a call for a list, each cut with an ellipsis. */
export function listedArgs({ args }: Pick<Execution, 'args'>): Record<string, string | null> {
  const values = JSON.parse(args) as Record<string, string | null>;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value && cut(value)]));
}

/** Never cuts a character outside the basic plane in two. */
function cut(value: string): string {
  if (value.length <= MAX_LISTED_CHARS) return value;
  return `${value.slice(0, MAX_LISTED_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The recorded part of a result: `data` exactly as the transform wrote it, with all digits of its numbers. */
export function withData(description: object, { state, data }: Execution): string {
  const json = JSON.stringify(description);
  return hasEnded(state) && data !== undefined ? `${json.slice(0, -1)},"data":${data}}` : json;
}

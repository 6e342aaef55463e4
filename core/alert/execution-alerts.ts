import type { ExecutionState, Reason } from '../execution/state.ts';
import type { AlertEvent } from './event.ts';
import { eventOf, missedFireAlert, timeText } from './make-event.ts';
import type { PayloadData } from './payload.ts';

/** The facts of an ended execution for its alerts. */
export interface EndedExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;
  readonly agentName: string | undefined;
  readonly trigger: string;
  readonly createdAtMs: number;
  /** The fire time, if a schedule started it. */
  readonly scheduledForMs?: number | undefined;
  /** The `callback_url` of the call itself. */
  readonly callbackUrl?: string | undefined;
}

/** The recorded end. */
export interface RecordedEnd {
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
  readonly error: string | undefined;
  readonly errorCode: string | undefined;
  readonly exitCode: number | undefined;
  readonly durationMs: number | undefined;
  readonly endedAtMs: number;
}

const ALERTED = {
  failed: 'execution.failed',
  timed_out: 'execution.timed_out',
  lost: 'execution.lost',
} as const;

/** The most characters of an error in an alert; the record has the whole text. */
const MAX_ERROR_CHARS = 2_000;

/** The receivers of an ending, besides the rules about failures. */
export interface AlertReceivers {
  /** The `callback_url` of the endpoint, and the one of the call; each address once. */
  readonly callbackUrls: readonly string[];
  /** Events of a success; stored only where a rule wants them, as most executions succeed. */
  readonly wanted?: readonly ('execution.succeeded' | 'execution.recovered')[];
}

/** The events of an ending: an alert for a failure, and a callback for every ending to each `callback_url`. */
export function alertsForExecution(
  execution: EndedExecution,
  ended: RecordedEnd,
  { callbackUrls, wanted = [] }: AlertReceivers,
  newId: () => string,
): AlertEvent[] {
  const { workspaceId, slug, agentName } = execution;
  const { state, endedAtMs } = ended;
  const alerts = state in ALERTED ? [ALERTED[state as keyof typeof ALERTED]] : wanted;
  const missed = missedOf(execution, ended, newId);
  if (alerts.length === 0 && callbackUrls.length === 0) return missed;
  const data = dataOf(execution, ended);
  const header = () => ({ id: newId(), workspaceId, atMs: endedAtMs });
  const about = { slug, agentName };
  return [
    ...missed,
    ...alerts.map((alert) => eventOf(header(), alert, data, about)),
    ...callbackUrls.map((callbackUrl) =>
      eventOf(header(), 'execution.finished', data, { ...about, callbackUrl }),
    ),
  ];
}

/** A fire that was queued and not dispatched to an agent in time. */
function missedOf(
  { workspaceId, slug: endpoint, scheduledForMs }: EndedExecution,
  { state, reason, endedAtMs }: RecordedEnd,
  newId: () => string,
): AlertEvent[] {
  if (state !== 'missed' || scheduledForMs === undefined) return [];
  const data = { endpoint, scheduled_for: timeText(scheduledForMs), reason: reason ?? '', count: 1 };
  return [missedFireAlert({ id: newId(), workspaceId, atMs: endedAtMs }, data)];
}

function dataOf(
  { id, slug, agentName, trigger, createdAtMs }: EndedExecution,
  { state, reason, exitCode, durationMs, error, errorCode, endedAtMs }: RecordedEnd,
): PayloadData<'execution.finished'> {
  return {
    execution_id: id,
    endpoint: slug,
    agent: agentName ?? null,
    trigger,
    state,
    reason: reason ?? null,
    exit_code: exitCode ?? null,
    duration_ms: durationMs ?? null,
    error: error?.slice(0, MAX_ERROR_CHARS) ?? null,
    error_code: errorCode ?? null,
    created_at: timeText(createdAtMs),
    ended_at: timeText(endedAtMs),
    // The hub adds them before it sends the event, as the output may still be on its way.
    last_lines: [],
  };
}

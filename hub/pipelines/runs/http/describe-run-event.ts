import type { RunEventMessage } from '@svc/core/api/contract/run-event-message';
import type { NodeRecord, RunHead } from '@svc/core/pipeline/run/state';
import { time } from '../../../platform/http/time.ts';
import type { NodeEvent } from './run-reader.ts';

/** The states of nodes, and of the run when given, as events. */
export function liveEventMessages(nodes: readonly NodeEvent[], head: RunHead | undefined): string {
  const ofRun = head === undefined ? [] : [runEvent(head)];
  return [...nodes.map(nodeEvent), ...ofRun].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function runEvent({ state, startedAtMs, endedAtMs }: RunHead): RunEventMessage {
  return { type: 'run', state, at: time(endedAtMs ?? (state === 'queued' ? undefined : startedAtMs)) };
}

function nodeEvent({ record, executionId }: NodeEvent): RunEventMessage {
  const { id, state, attempt, error, holds, result, startedAtMs, endedAtMs } = record;
  return {
    type: 'node',
    node: id,
    state,
    attempt,
    execution_id: executionId,
    exit_code: result?.exitCode,
    error,
    holds,
    at: time(endedAtMs ?? startedAtMs),
  };
}

/**
 * The same as SSE comments, for readers that know only the specified events. Programs ignore comments; people
 * can read them.
 */
export function liveEventComments(nodes: readonly NodeEvent[], statusUrl: string): string {
  return nodes
    .flatMap(({ record }) => comment(record, statusUrl))
    .map((text) => `: ${text}\n\n`)
    .join('');
}

function comment({ id, state, error, result }: NodeRecord, statusUrl: string): string[] {
  if (state === 'waiting_approval') return [`step "${id}" waits for approval: ${statusUrl}`];
  if (state !== 'failed') return [];
  const reason = error ?? `exit code ${result?.exitCode}`;
  return [`step "${id}" failed: ${reason.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')}`];
}

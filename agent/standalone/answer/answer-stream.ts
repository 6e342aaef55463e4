import type { ErrorEventCode } from '@svc/core/execution/event';
import { encodeEvent } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import type { CommandWithChecks } from '../../choices/check-choices.ts';
import type { Call } from '../call/call.ts';
import { whenCallerLeaves } from '../call/call.ts';
import { EventWriter } from './event-writer.ts';
import { bugMessage } from './json-response.ts';
import { callOutcome } from './outcome.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Runs the command and streams its events (reference 6, decision 15, the event stream).
 *
 * The command starts at once, before Bun requests the body: Bun never does if the caller has left by then, and the command
 * runs all the same (decision 21, callers that leave, and slow readers).
 */
export function answerStream(call: Call, silenceMs: number = LIMITS.sseSilenceMs): Response {
  const writer = new EventWriter(silenceMs);
  const running = call.start('events', writer);
  whenCallerLeaves(call.request, () => {
    writer.leave();
    if (call.endpoint.onDisconnect === 'cancel') running.cancel();
  });
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull: async (controller) => {
      writer.open(controller);
      await writer.end(await lastEvent(call, running));
    },
  };
  // The DOM types win over Bun's, and they lack direct streams.
  return new Response(new ReadableStream(source as unknown as UnderlyingSource), {
    headers: { ...HEADERS, 'X-Execution-Id': call.executionId },
  });
}

/** Exactly one `done` or `error` event ends a stream. */
async function lastEvent(call: Call, running: CommandWithChecks): Promise<string> {
  try {
    const outcome = callOutcome(await running.ended, call.endpoint.timeoutSec);
    return outcome.kind === 'result'
      ? encodeEvent({ type: 'done', exit_code: outcome.exitCode, duration_ms: outcome.durationMs })
      : errorEvent(call, outcome.refusal.message, outcome.refusal.code);
  } catch (error) {
    return errorEvent(call, bugMessage(call.reportBug(error)), 'internal_error');
  }
}

function errorEvent({ executionId }: Call, error: string, code: ErrorEventCode): string {
  return encodeEvent({ type: 'error', error, code, execution_id: executionId });
}

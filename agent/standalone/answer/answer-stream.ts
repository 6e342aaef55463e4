import { encodeEvent } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import type { RunningCommand } from '../../runner/runner.ts';
import type { Call } from '../call/call.ts';
import { whenCallerLeaves } from './caller-leaves.ts';
import { EventWriter } from './event-writer.ts';
import { bugMessage } from './json-response.ts';
import { callOutcome } from './outcome.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Runs the command and answers with its events as they come (reference 6, decision 15).
 *
 * The command starts at once, before Bun asks for the body: it never does when the caller has gone by then, and the
 * command runs all the same (decision 21).
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
  // The types of the DOM win over Bun's, and they know no direct streams.
  return new Response(new ReadableStream(source as unknown as UnderlyingSource), { headers: HEADERS });
}

/** Exactly one `done` or one `error` ends a stream. */
async function lastEvent(call: Call, running: RunningCommand): Promise<string> {
  try {
    const outcome = callOutcome(await running.ended, call.endpoint.timeoutSec);
    return outcome.kind === 'result'
      ? encodeEvent({ type: 'done', exit_code: outcome.exitCode, duration_ms: outcome.durationMs })
      : encodeEvent({ type: 'error', error: outcome.refusal.message });
  } catch (error) {
    return encodeEvent({ type: 'error', error: bugMessage(call.reportBug(error)) });
  }
}

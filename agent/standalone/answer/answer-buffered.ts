import { LIMITS } from '@svc/core/plan/limits';
import type { Call } from '../call/call.ts';
import { whenCallerLeaves } from '../call/call.ts';
import { BufferedOutput } from './buffered-output.ts';
import { jsonResponse } from './json-response.ts';
import { type CallResult, callOutcome } from './outcome.ts';

/** Runs the command to its end and returns its result (reference 2.4), or refuses if there is none. */
export async function answerBuffered(call: Call): Promise<Response> {
  const output = new BufferedOutput(LIMITS.bufferedOutputBytes);
  const running = call.start('raw', output);
  if (call.endpoint.onDisconnect === 'cancel') whenCallerLeaves(call.request, () => running.cancel());
  const outcome = callOutcome(await running.ended, call.endpoint.timeoutSec);
  if (outcome.kind === 'failure') throw outcome.refusal;
  return jsonResponse(resultJson(outcome, output));
}

/** `data` replaces `output` if a transform succeeded (reference 2.4). */
function resultJson({ exitCode, data }: CallResult, output: BufferedOutput): string {
  if (data !== undefined) return `{"data":${data},"exit_code":${exitCode}}`;
  const truncated = output.isTruncated ? ',"truncated":true' : '';
  return `{"output":${JSON.stringify(output.text())},"exit_code":${exitCode}${truncated}}`;
}

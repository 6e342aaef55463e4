import { resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import type { Call } from '../call/call.ts';
import { whenCallerLeaves } from '../call/call.ts';
import { BufferedOutput } from './buffered-output.ts';
import { jsonResponse } from './json-response.ts';
import { type CallResult, callOutcome } from './outcome.ts';

/** Runs the command to its end and returns its result (reference 2.4), or refuses if there is none. */
export async function answerBuffered(call: Call, failStatus: boolean): Promise<Response> {
  const output = new BufferedOutput(LIMITS.bufferedOutputBytes);
  const running = call.start('raw', output);
  if (call.endpoint.onDisconnect === 'cancel') whenCallerLeaves(call.request, () => running.cancel());
  const outcome = callOutcome(await running.ended, call.endpoint.timeoutSec);
  const { executionId } = call;
  if (outcome.kind === 'failure') {
    const { code, message, details } = outcome.refusal;
    throw new Refusal(code, message, { ...details, execution_id: executionId });
  }
  const { exitCode } = outcome;
  return jsonResponse(resultJson(outcome, output, executionId), resultStatus(exitCode, failStatus), {
    'X-Execution-Id': executionId,
    ...resultHeaders(exitCode, failStatus),
  });
}

/** `data` replaces `output` if a transform succeeded (reference 2.4). */
function resultJson({ exitCode, data }: CallResult, output: BufferedOutput, executionId: string): string {
  const end = `"exit_code":${exitCode},"execution_id":"${executionId}"`;
  if (data !== undefined) return `{"data":${data},${end}}`;
  const truncated = output.isTruncated ? ',"truncated":true' : '';
  return `{"output":${JSON.stringify(output.text())},${end}${truncated}}`;
}

import { wantsRaw } from '@svc/core/api/answer-format';
import { readCallParts } from '@svc/core/api/call-parts';
import { readCallback } from '@svc/core/api/callback-url';
import { formatFor, readFailStatus, resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { readPrefer } from '@svc/core/api/prefer';
import { rawType } from '@svc/core/endpoint/output-streams';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal, refuse } from '@svc/core/refusal';
import { answerRaw } from '../answer/answer-raw.ts';
import { answerStream } from '../answer/answer-stream.ts';
import { BufferedOutput, BufferedRawOutput, type ResultOutput } from '../answer/buffered-output.ts';
import { jsonResponse } from '../answer/json-response.ts';
import { type CallResult, callOutcome } from '../answer/outcome.ts';
import type { ServedEndpoint } from '../served-endpoint.ts';
import { type Call, type CallContext, prepareCall, whenCallerLeaves } from './call.ts';

/** `POST` or `GET /{endpoint-name}` (reference 4.6). */
export async function answerCall(
  served: ServedEndpoint,
  request: Request,
  query: string,
  context: CallContext,
): Promise<Response> {
  refuseMethod(served, request.method);
  // An EventSource reconnects by itself, which must not run the command again (decision 22, EventSource).
  if (request.headers.has('last-event-id')) return new Response(null, { status: 204 });
  if (served.unsupported !== undefined) throw served.unsupported;
  const hasArgument = () => served.endpoint.args.some(({ name }) => name === 'fail');
  const options = readFailStatus(query, hasArgument);
  const { input, values: given } = await readCallParts(request, options.query, served.endpoint);
  const { failStatus: inHeader } = readPrefer(request.headers.get('prefer'));
  const accept = request.headers.get('accept');
  const raw = rawType(served.endpoint);
  const asRaw = raw !== undefined && wantsRaw(accept, raw) ? raw : undefined;
  const shape =
    asRaw === undefined ? formatFor(accept, { inQuery: options.failStatus, inHeader }) : undefined;
  const { callbackUrl, values } = readCallback({
    header: request.headers.get('x-callback-url'),
    values: given,
    takesArgument: (name) => served.endpoint.args.some((argument) => argument.name === name),
  });
  if (callbackUrl !== undefined)
    throw refuse('invalid_argument', 'callback_url: this server calls no one back; a hub does');
  await refusePipelined(request);
  const call = prepareCall(served, { values, input }, request, context);
  if (asRaw !== undefined) return answerRaw(call, asRaw, options.failStatus || inHeader);
  return shape?.format === 'buffered' ? answerBuffered(call, shape.failStatus) : answerStream(call);
}

/** HEAD and OPTIONS never execute (decision 11, methods). */
function refuseMethod({ endpoint, methods }: ServedEndpoint, method: string): void {
  if ((methods as readonly string[]).includes(method)) return;
  const allow = methods.join(', ');
  const message = `${method} does not call "${endpoint.slug}": use ${allow.replace(', ', ' or ')}`;
  throw refuse('method_not_allowed', message, { allow });
}

/** Runs the command to its end and returns its result (reference 2.4), or refuses if there is none. */
async function answerBuffered(call: Call, failStatus: boolean): Promise<Response> {
  const { running, output } = startBuffered(call);
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

function startBuffered(call: Call) {
  if (rawType(call.endpoint) === undefined) {
    const output = new BufferedOutput(LIMITS.bufferedOutputBytes);
    return { running: call.start('raw', output), output };
  }
  const output = new BufferedRawOutput(LIMITS.bufferedOutputBytes);
  return { running: call.start('events', output), output };
}

/** `data` replaces `output` if a transform succeeded (reference 2.4). */
function resultJson({ exitCode, data }: CallResult, output: ResultOutput, executionId: string): string {
  const end = `"exit_code":${exitCode},"execution_id":"${executionId}"`;
  if (data !== undefined) return `{"data":${data},${end}}`;
  const truncated = output.isTruncated ? ',"truncated":true' : '';
  return `{${output.fields()},${end}${truncated}}`;
}

/**
 * Refuses a request that came in one piece with the next one (HTTP/1.1 pipelining), before it changes anything.
 *
 * Bun closes such a connection in the turn of the event loop in which it reads the second request, so no answer of the first
 * arrives. A caller that leaves is seen later, and its command runs (decision 21, callers that leave, and slow readers).
 */
async function refusePipelined({ signal }: Request): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (signal.aborted)
    throw refuse(
      'invalid_argument',
      'HTTP/1.1 pipelining: send the next request after the answer to the first',
    );
}

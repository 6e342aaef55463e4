import { readCallValues } from '@svc/core/api/call-values';
import { formatFor, readFailStatus } from '@svc/core/api/fail-status';
import { readPrefer } from '@svc/core/api/prefer';
import { refuse } from '@svc/core/refusal';
import { answerBuffered } from '../answer/answer-buffered.ts';
import { answerStream } from '../answer/answer-stream.ts';
import type { ServedEndpoint } from '../served-endpoint.ts';
import { type CallContext, prepareCall } from './call.ts';
import { refusePipelined } from './refuse-pipelined.ts';

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
  const asked = readFailStatus(query, hasArgument);
  const { failStatus: inHeader } = readPrefer(request.headers.get('prefer'));
  const shape = formatFor(request.headers.get('accept'), { inQuery: asked.failStatus, inHeader });
  const values = await readCallValues(request, asked.query);
  await refusePipelined(request);
  const call = prepareCall(served, values, request, context);
  return shape.format === 'buffered' ? answerBuffered(call, shape.failStatus) : answerStream(call);
}

/** HEAD and OPTIONS never execute (decision 11, methods). */
function refuseMethod({ endpoint, methods }: ServedEndpoint, method: string): void {
  if ((methods as readonly string[]).includes(method)) return;
  const allow = methods.join(', ');
  const message = `${method} does not call "${endpoint.slug}": use ${allow.replace(', ', ' or ')}`;
  throw refuse('method_not_allowed', message, { allow });
}

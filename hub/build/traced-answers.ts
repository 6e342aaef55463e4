import { requestTarget } from '@svc/core/api/request-target';
import { readTraceparent } from '@svc/core/trace/traceparent';
import { StreamedResponse } from '../http/sse-response.ts';
import { routeOf } from '../platform/http/route-of.ts';
import type { SpanFacts, Tracer } from '../platform/tracing/tracer.ts';

type Answer = (request: Request) => Promise<Response>;

const CALLS = '/v1/';
const CALL_ROUTE = '/v1/{username}/{slug}';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const SERVER_FAULT = 500;

/**
 * The same answers, each of which is a span from the request to the last byte: of calls, and of what changes something. A trace
 * of the caller goes on in it. Pages and reads are not traced, and no path is told: some have tokens in them.
 */
export function tracedAnswers(tracer: Tracer, answer: Answer): Answer {
  return async (request) => {
    const route = tracedRoute(request);
    if (route === undefined) return await answer(request);
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const span = tracer.start({
      name: `${method} ${route}`,
      isServer: true,
      parent: readTraceparent(request.headers.get('traceparent')),
      facts: { 'http.request.method': method, 'http.route': route },
    });
    const response = await tracer.within(span.context, () => answer(request));
    const end = () => span.end(factsOf(response));
    if (response instanceof StreamedResponse) void response.ended.then(end);
    else end();
    return response;
  };
}

function tracedRoute({ method, url }: Request): string | undefined {
  if (method === 'OPTIONS') return undefined;
  const { path } = requestTarget(url);
  if (path.startsWith(CALLS)) return CALL_ROUTE;
  return method === 'GET' || method === 'HEAD' ? undefined : routeOf(method, path);
}

function factsOf({ status, headers }: Response): SpanFacts {
  return {
    'http.response.status_code': status,
    'svc.execution.id': headers.get('x-execution-id') ?? undefined,
    'svc.pipeline.run.id': headers.get('x-run-id') ?? undefined,
    ...(status < SERVER_FAULT ? {} : { 'error.type': String(status) }),
  };
}

import { isPrefetch, PREFETCH_REFUSED, refusesPrefetch } from '@svc/core/api/prefetch';
import { requestTarget } from '@svc/core/api/request-target';
import { Refusal, refuse } from '@svc/core/refusal';
import { readTraceparent } from '@svc/core/trace/traceparent';
import type { Logger } from 'pino';
import { handleCall, withCors } from '../calls/handle-call.ts';
import { type AnswerInspector, createRouter, HTTPS_ONLY } from '../http/router.ts';
import { StreamedResponse } from '../http/sse-response.ts';
import { bugResponse, refusalResponse } from '../platform/http/json-response.ts';
import { routeOf } from '../platform/http/route-of.ts';
import type { SpanFacts, Tracer } from '../platform/tracing/tracer.ts';
import { allHandlers, type HandlerParts } from './handlers.ts';
import type { HubContext } from './hub-context.ts';
import type { RequestHandlers } from './listen.ts';

/** The parts that answer HTTP requests. */
interface AnswerParts extends HandlerParts {
  /** Undefined without tracing. */
  readonly tracer: Tracer | undefined;
  readonly logger: Logger;
  readonly inspect: AnswerInspector | undefined;
}

/** Every route with its handler, behind one function. */
export function answers({ tracer, logger, inspect, ...parts }: AnswerParts): RequestHandlers['answer'] {
  const { context, metrics, isDraining } = parts;
  const manage = createRouter(context, allHandlers(parts), inspect);
  const handler = createHandler(context, manage, (arrivedAtMs, response) =>
    metrics.called(arrivedAtMs, response),
  );
  const answer = tracer === undefined ? handler : tracedAnswers(tracer, handler);
  return async (request) => {
    const response = await answer(request);
    metrics.answered(response.status);
    // The connection closes, so that a balancer does not keep one that is about to break.
    if (isDraining()) response.headers.set('Connection', 'close');
    logRefused(logger, request, response.status, () => context.addressOf(request));
    return response;
  };
}

const CALLS = '/v1/';
/** The list of callable endpoints, for programs. It collides with no endpoint, because a slug has no dot. */
const CATALOG = /^\/v1\/[^/]+(?:\/openapi\.json)?$/;

/** Called for the answer to each call, with the `performance.now()` at which the request arrived. */
type CallListener = (arrivedAtMs: number, response: Response) => void;

/** Answers every HTTP request of the hub. Calls are handled first and without a router, because they must be fast. */
function createHandler(
  context: HubContext,
  manage: (request: Request) => Promise<Response>,
  onCall: CallListener,
): (request: Request) => Promise<Response> {
  const isHttps = context.settings.baseUrl.startsWith('https:');
  const answer = async (request: Request): Promise<Response> => {
    try {
      refuseTwoHosts(request);
      const { path, query } = requestTarget(request.url);
      refusePrefetch(request, path);
      if (!path.startsWith(CALLS)) return await manage(request);
      const [username = '', ...rest] = path.slice(CALLS.length).split('/');
      const isCatalog = CATALOG.test(path) && request.method !== 'OPTIONS';
      const response = isCatalog
        ? withCors(await manage(request))
        : await handleCall(context, request, { username, slug: rest.join('/'), query });
      if (isHttps) response.headers.set(...HTTPS_ONLY);
      return response;
    } catch (error) {
      return error instanceof Refusal ? refusalResponse(error) : bugResponse(context.reportBug(error));
    }
  };
  return async (request) => {
    const arrivedAtMs = performance.now();
    const response = await answer(request);
    if (isCall(request)) onCall(arrivedAtMs, response);
    return response;
  };
}

/** Not for a preflight request, and not for the list of callable endpoints. */
function isCall({ method, url }: Request): boolean {
  if (method === 'OPTIONS') return false;
  const { path } = requestTarget(url);
  return path.startsWith(CALLS) && !CATALOG.test(path);
}

/** Bun accepts two Host headers. A proxy in front of the hub may have used the other one. */
function refuseTwoHosts({ headers }: Request): void {
  if (headers.get('host')?.includes(','))
    throw refuse('invalid_argument', 'a request with one Host header expected');
}

function refusePrefetch({ headers }: Request, path: string): void {
  if (refusesPrefetch(path) && isPrefetch((name) => headers.get(name)))
    throw refuse('forbidden', PREFETCH_REFUSED);
}

type Answer = (request: Request) => Promise<Response>;

const CALL_ROUTE = '/v1/{username}/{slug}';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const SERVER_FAULT = 500;

/**
 * Adds a span to the answers of calls and changes, from the request to the last byte. The caller's trace continues in it. Pages and
 * reads are not traced. Spans contain no paths, because some paths contain tokens.
 */
function tracedAnswers(tracer: Tracer, answer: Answer): Answer {
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

/** The statuses for a caller that is not signed in, not allowed, or rate limited. */
const REFUSED = new Set([401, 403, 429]);
const LINK = /^\/(?:login|join|auth\/email-change)\//;
/** An unknown, used or expired link. */
const DEAD = new Set([404, 410]);

/** Logs one entry for each refused credential, so that an operator notices attempts to break in. */
function logRefused(logger: Logger, request: Request, status: number, addressOf: () => string): void {
  if (!REFUSED.has(status) && !DEAD.has(status)) return;
  const { path } = requestTarget(request.url);
  if (REFUSED.has(status) || LINK.test(path))
    logger.info({ status, method: request.method, path, address: addressOf() }, 'refused');
}

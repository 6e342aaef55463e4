import { requestTarget } from '@svc/core/api/request-target';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';
import { refuse } from '@svc/core/refusal';
import { jsonResponse } from './answer/json-response.ts';
import { type BrowserRules, browserRefusal, hostHeaderRefusal } from './browser-guard.ts';
import type { CallContext } from './call/call.ts';
import { answerCall } from './call/handle-call.ts';
import type { ServedEndpoint } from './served-endpoint.ts';

export interface RoutesContext extends CallContext {
  readonly served: readonly ServedEndpoint[];
  readonly browserRules: BrowserRules;
  readonly version: string;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  /** Makes the handler of `/mcp`; absent: nothing is there. */
  readonly makeMcp?: ((context: RoutesContext) => ServeHandler) | undefined;
}

/** Answers a request, or throws a `Refusal`. */
export type ServeHandler = (request: Request) => Response | Promise<Response>;

/**
 * The routes of reference 4.6. Every request must name this server in `Host`, including `/health`. Pages of other sites may
 * send `GET /health` but cannot read the answer, because no answer has CORS headers.
 */
export function createRoutes(context: RoutesContext): ServeHandler {
  const { served, browserRules } = context;
  const bySlug = new Map(served.map((one) => [one.endpoint.slug, one]));
  const listing = JSON.stringify({
    endpoints: served.map(({ endpoint }) => describeServedEndpoint(endpoint)),
  });
  const health = healthRoute(context);
  const mcp = context.makeMcp?.(context);
  return (request) => {
    const { path, query } = requestTarget(request.url);
    const refusal =
      path === '/health'
        ? hostHeaderRefusal(request.headers.get('host'), browserRules)
        : browserRefusal((name) => request.headers.get(name), browserRules);
    if (refusal !== undefined) throw refusal;
    if (path === '/health') return health(request);
    if (path === '/endpoints') return readOnly(request, () => jsonResponse(listing));
    if (path === '/mcp' && mcp !== undefined) return mcp(request);
    const called = bySlug.get(path.slice(1));
    if (called === undefined)
      throw refuse('not_found', `nothing is served at ${path}: GET /endpoints lists what is`);
    return answerCall(called, request, query, context);
  };
}

function healthRoute({ served, version, clock }: RoutesContext): ServeHandler {
  const startedAtMs = clock();
  return (request) =>
    readOnly(request, () => {
      const uptimeSec = Math.floor((clock() - startedAtMs) / 1000);
      const body = { status: 'ok', version, uptime_s: uptimeSec, endpoints: served.length };
      return jsonResponse(JSON.stringify(body));
    });
}

function readOnly({ method }: Request, answer: () => Response): Response {
  if (method === 'GET' || method === 'HEAD') return answer();
  throw refuse('method_not_allowed', `${method} means nothing here: use GET`, { allow: 'GET, HEAD' });
}

/** An endpoint in `GET /endpoints` (decision 51, the standalone server), with the keys of the config file. */
function describeServedEndpoint({ slug, method, description, args }: Endpoint) {
  return {
    name: slug,
    method: method ?? null,
    description: description ?? null,
    path: `/${slug}`,
    args: args.map(describeArgument),
  };
}

/** Keys that are absent from the file, or that equal the default, are absent. */
function describeArgument(argument: Argument) {
  const { name, required, type, inferred, description, choices, pattern, maxLength, secret, allowDash } =
    argument;
  return {
    name,
    type,
    inferred: inferred || undefined,
    accepts: acceptedBy(argument),
    required,
    default: argument.default,
    description,
    choices,
    pattern,
    root: argument.root,
    schemes: argument.schemes,
    hosts: argument.hosts,
    items: argument.items,
    each: argument.each,
    max_items: argument.maxItems,
    schema: argument.schema,
    choices_from: argument.choicesFrom,
    choices_args: argument.choicesArgs,
    choices_ttl: argument.choicesTtlSec,
    choices_check: argument.choicesCheck,
    max_length: maxLength,
    secret: secret || undefined,
    allow_dash: allowDash || undefined,
  };
}

import { REST_PARAMETERS } from '@svc/core/api/contract/path-parameters';
import { readParameters, readRouteBody, readRouteQuery } from '@svc/core/api/contract/read-request';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { requestTarget } from '@svc/core/api/request-target';
import { ROUTES } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import { Refusal, refuse } from '@svc/core/refusal';
import { Hono } from 'hono';
import type { AdmitDeps } from '../agents/admit-agent.ts';
import { gzippedResponse, mayCompress } from '../platform/http/gzip.ts';
import { bugResponse, objectResponse, refusalResponse } from '../platform/http/json-response.ts';
import { refusePipelined } from '../platform/http/refuse-pipelined.ts';
import { Reply, reply } from '../platform/http/reply.ts';
import { rowsAt } from '../platform/http/route-of.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import type { ScimDirectory } from '../scim/store/scim-store.ts';
import { authorize } from './authorize.ts';
import type { Handlers } from './handler.ts';
import type { SignedIn } from './identity.ts';
import type { Principal, PrincipalDeps } from './principal.ts';
import { scimErrorResponse } from './scim-error-response.ts';

export interface RouterDeps extends PrincipalDeps, AdmitDeps {
  readonly scim: ScimDirectory;
  readonly readPacer: ReadPacer;
}

/** The default headers of every response. A badge overrides some, because other sites show it. */
const SECURITY = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;
/** Makes browsers use only https after their first visit. */
export const HTTPS_ONLY = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as const;

/** Called with every response of a route; tests compare it with the row. */
export type AnswerInspector = (row: Route, response: Response) => Promise<void>;

/** Builds the routes of the table with their handlers. A handler without a row, or a row without a handler, does not compile. */
export function createRouter(
  deps: RouterDeps,
  handlers: Handlers,
  inspect?: AnswerInspector,
): (request: Request) => Promise<Response> {
  // `new URL` throws on a malformed Host.
  const router = new Hono({ getPath: ({ url }) => requestTarget(url).path });
  for (const [name, row] of inOrder(handlers)) {
    const answer = answerer(deps, row, handlers[name] as AnyHandler);
    router.on(row.method, patternOf(row.path), async ({ req }) => {
      const response = await answer(req.raw, req.param());
      await inspect?.(row, response);
      const sent =
        response.ok && mayCompress(row, req.raw) ? await gzippedResponse(req.raw, response) : response;
      return await withHeadLength(req.raw, sent);
    });
  }
  router.notFound(async ({ req }) => await withHeadLength(req.raw, notFound(req.raw, deps.reportBug)));
  router.onError((error) => bugResponse(deps.reportBug(error)));
  const isHttps = deps.settings.hubUrl.startsWith('https:');
  const security = [...Object.entries(SECURITY), ...(isHttps ? [HTTPS_ONLY] : [])];
  return async (request) => {
    const response = await router.fetch(request);
    // A page may set its own policy, because forms must send their origin.
    for (const [header, value] of security)
      if (!response.headers.has(header)) response.headers.set(header, value);
    return response;
  };
}

/** Converts a path to the notation of Hono. */
function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    REST_PARAMETERS.has(name) ? `:${name}{.*}` : `:${name}`,
  );
}

const STREAMED = /^(?:text\/(?:event-stream|plain)|application\/x-ndjson)/;

/**
 * Gives HEAD the length that GET would have, because Hono answers HEAD without the body. A stream has no length, and is
 * cancelled: without a reader its producer would wait for ever.
 */
async function withHeadLength({ method }: Request, response: Response): Promise<Response> {
  const { body, headers } = response;
  if (method !== 'HEAD' || body === null || body.locked) return response;
  if (STREAMED.test(headers.get('content-type') ?? '')) {
    await body.cancel();
    headers.set('Transfer-Encoding', 'chunked');
  } else headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  return response;
}

/** Sorts literal paths before templated ones, as OpenAPI requires, because Hono takes the first match. */
function inOrder(handlers: Handlers): [name: keyof Handlers, row: Route][] {
  return (Object.keys(handlers) as (keyof Handlers)[])
    .map((name): [keyof Handlers, Route] => [name, rowOf(name)])
    .sort(([, a], [, b]) => parametersOf(a.path).length - parametersOf(b.path).length);
}

function rowOf(name: keyof Handlers): Route {
  const row: Route | undefined = ROUTES[name];
  if (row === undefined) throw new Error(`route "${name}" has no row in the table: nobody may use it`);
  return row;
}

type AnyHandler = (input: object) => unknown;

/** Handles a request by its row: access, then validation, then the handler. */
function answerer(deps: RouterDeps, row: Route, handler: AnyHandler) {
  return async (request: Request, given: Readonly<Record<string, string>>): Promise<Response> => {
    try {
      const who = await authorize(deps, request, row.access);
      const parameters = readParameters(row, given);
      const query = readRouteQuery(row, requestTarget(request.url).query);
      const body = await readRouteBody(row, request);
      if (row.method !== 'GET') await refusePipelined(request);
      const answer = () => handler({ request, parameters, query, body, ...who });
      const workspaceId = isList(row) ? workspaceOf(who) : undefined;
      return responseOf(
        row,
        await (workspaceId === undefined ? answer() : deps.readPacer.run(workspaceId, answer)),
      );
    } catch (error) {
      if (row.refusesOn === 'scim') return scimErrorResponse(error, deps.reportBug);
      return error instanceof Refusal ? refusalResponse(error) : bugResponse(deps.reportBug(error));
    }
  };
}

/** Reads of a single thing by name are not paced, because they cost no more than a call. */
function isList({ method, path }: Route): boolean {
  return method === 'GET' && parametersOf(path).length === 0;
}

/** The workspace in the path, or the caller's own. */
function workspaceOf(who: {
  readonly caller?: Caller;
  readonly acting?: Principal;
  readonly user?: SignedIn;
}): string | undefined {
  if (who.caller !== undefined && who.caller.kind !== 'anonymous') return who.caller.workspaceId;
  return (who.acting ?? who.user?.home)?.workspace.id;
}

function responseOf(row: Route, answer: unknown): Response {
  if (answer instanceof Response) return answer;
  const { status, body, headers } = answer instanceof Reply ? answer : reply(successOf(row), answer);
  return body === undefined ? new Response(null, { status, headers }) : objectResponse(body, status, headers);
}

function successOf({ answers }: Route): number {
  return Number(Object.keys(answers)[0]);
}

/** Answers 405 and not 404 when the path exists with another method. */
function notFound(request: Request, reportBug: RouterDeps['reportBug']): Response {
  const { path } = requestTarget(request.url);
  const allowed = rowsAt(path).map(({ method }) => method);
  const refused = (refusal: Refusal) =>
    path.startsWith('/scim/') ? scimErrorResponse(refusal, reportBug) : refusalResponse(refusal);
  if (allowed.length === 0) return refused(refuse('not_found', `nothing is at ${path}`));
  const allow = [...new Set(allowed)].join(', ');
  return refused(refuse('method_not_allowed', `${request.method} means nothing here`, { allow }));
}

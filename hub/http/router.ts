import { REST_PARAMETERS } from '@svc/core/api/contract/path-parameters';
import { readParameters, readRouteBody, readRouteQuery } from '@svc/core/api/contract/read-request';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { requestTarget } from '@svc/core/api/request-target';
import { ROUTES } from '@svc/core/api/routes';
import type { Caller } from '@svc/core/execution/access';
import { Refusal, refuse } from '@svc/core/refusal';
import { Hono } from 'hono';
import { bugResponse, objectResponse, refusalResponse } from '../platform/http/json-response.ts';
import { Reply, reply } from '../platform/http/reply.ts';
import { rowsAt } from '../platform/http/route-of.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import { authorize } from './authorize.ts';
import type { Handlers } from './handler.ts';
import type { Acting, IdentityDeps, SignedIn } from './identity.ts';

export interface RouterDeps extends IdentityDeps {
  readonly readPacer: ReadPacer;
}

/** What every answer has unless it says otherwise, as a badge does, which other sites show. */
const SECURITY = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;
/** A browser that has been here once comes by https only. */
export const HTTPS_ONLY = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as const;

/** Told of every answer that a route gave; tests compare it with the row. */
export type AnswerInspector = (row: Route, response: Response) => Promise<void>;

/** Every route of the table with its handler; a handler without a row, or a row without one, does not compile. */
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
      // Nobody reads it: what would make it is let go, or it would wait for a reader for ever.
      if (req.method === 'HEAD' && response.body?.locked === false) await response.body.cancel();
      return response;
    });
  }
  router.notFound(async (asked) => notFound(asked.req.raw));
  router.onError((error) => bugResponse(deps.reportBug(error)));
  const isHttps = deps.settings.hubUrl.startsWith('https:');
  const security = [...Object.entries(SECURITY), ...(isHttps ? [HTTPS_ONLY] : [])];
  return async (request) => {
    const response = await router.fetch(request);
    // A page may say it better: forms have to carry where they come from.
    for (const [header, value] of security)
      if (!response.headers.has(header)) response.headers.set(header, value);
    return response;
  };
}

/** A path in the notation of Hono. */
function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    REST_PARAMETERS.has(name) ? `:${name}{.*}` : `:${name}`,
  );
}

/** A path in words comes before one in braces that it would fit, as OpenAPI has it: Hono takes the first that fits. */
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

type AnyHandler = (asked: object) => unknown;

/** Answers by the row: who may, then what was sent, then the handler. */
function answerer(deps: RouterDeps, row: Route, handler: AnyHandler) {
  return async (request: Request, given: Readonly<Record<string, string>>): Promise<Response> => {
    try {
      const who = await authorize(deps, request, row.access);
      const parameters = readParameters(row, given);
      const query = readRouteQuery(row, requestTarget(request.url).query);
      const body = await readRouteBody(row, request);
      const answer = () => handler({ request, parameters, query, body, ...who });
      const workspaceId = isList(row) ? workspaceOf(who) : undefined;
      return responseOf(
        row,
        await (workspaceId === undefined ? answer() : deps.readPacer.run(workspaceId, answer)),
      );
    } catch (error) {
      return error instanceof Refusal ? refusalResponse(error) : bugResponse(deps.reportBug(error));
    }
  };
}

/** Reads of one thing by its name cost no more than a call. */
function isList({ method, path }: Route): boolean {
  return method === 'GET' && parametersOf(path).length === 0;
}

/** The workspace that is asked about, or the own one of who asks. */
function workspaceOf(who: {
  readonly caller?: Caller;
  readonly acting?: Acting;
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

/** A path that exists with another method is a wrong method, not a wrong path. */
function notFound(request: Request): Response {
  const { path } = requestTarget(request.url);
  const allowed = rowsAt(path).map(({ method }) => method);
  if (allowed.length === 0) return refusalResponse(refuse('not_found', `nothing is at ${path}`));
  const allow = [...new Set(allowed)].join(', ');
  return refusalResponse(refuse('method_not_allowed', `${request.method} means nothing here`, { allow }));
}

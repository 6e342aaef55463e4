import { requestTarget } from '@svc/core/api/request-target';
import { ROUTES, type Route, type RouteName } from '@svc/core/api/routes';
import { Refusal, refuse } from '@svc/core/refusal';
import { may } from '@svc/core/workspace/permissions';
import { Hono } from 'hono';
import type { HubContext } from '../context.ts';
import { bugResponse, refusalResponse } from '../json-response.ts';
import type { Handlers } from './handler.ts';
import { acting, callerOf, signedIn } from './identity.ts';

const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const;

/** Every route of the table with its handler; a handler without a row, or a row without one, does not compile. */
export function createRouter(
  context: HubContext,
  handlers: Handlers,
): (request: Request) => Promise<Response> {
  // `new URL` throws on a malformed Host.
  const router = new Hono({ getPath: ({ url }) => requestTarget(url).path });
  for (const name of Object.keys(handlers) as (keyof Handlers)[]) add(router, context, name, handlers);
  router.notFound(async (asked) => notFound(asked.req.raw));
  router.onError((error) => {
    if (error instanceof Refusal) return refusalResponse(error);
    return bugResponse(context.reportBug(error));
  });
  return async (request) => {
    const response = await router.fetch(request);
    for (const [header, value] of Object.entries(SECURITY)) response.headers.set(header, value);
    return response;
  };
}

function add(router: Hono, context: HubContext, name: keyof Handlers, handlers: Handlers): void {
  const row: Route | undefined = ROUTES[name];
  if (row === undefined) throw new Error(`route "${name}" has no row in the table: nobody may use it`);
  const handler = handlers[name] as (asked: unknown) => Response | Promise<Response>;
  router.on(row.method, row.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (asked) => {
    const request = asked.req.raw;
    const who = await authorize(context, request, row);
    const query = new URLSearchParams(requestTarget(request.url).query);
    return handler({ request, parameters: asked.req.param(), query, ...who });
  });
}

/** Applies a row of the table (decision 45). */
async function authorize(context: HubContext, request: Request, { access }: Route): Promise<object> {
  switch (access.kind) {
    case 'open':
      return {};
    case 'caller':
      return { caller: await callerOf(context, request) };
    case 'user': {
      const user = await signedIn(context, request, access.credentials);
      if (user === undefined) throw unauthorized();
      return { user };
    }
    case 'owner':
    case 'member': {
      const found = await acting(context, request, access.credentials);
      if (found === undefined) throw unauthorized();
      const { role } = found.member;
      const isAllowed = access.kind === 'owner' ? role === 'owner' : may(role, access.permission);
      if (!isAllowed) throw refuse('forbidden', `your role "${role}" does not allow this`);
      return { acting: found };
    }
    case 'operator':
      return { user: await operator(context, request) };
    case 'agent':
      throw unauthorized();
  }
}

/** For everybody else operators' pages do not exist (decision 54). */
async function operator(context: HubContext, request: Request) {
  const user = await signedIn(context, request, ['session', 'personal']);
  const account = user && (await context.accounts.userById(user.userId));
  if (user !== undefined && context.settings.operators.includes(account?.email.toLowerCase() ?? ''))
    return user;
  throw refuse('not_found', 'nothing is here');
}

function unauthorized(): Refusal {
  return refuse('unauthorized', 'sign in, or send Authorization: Bearer with an access token');
}

/** A path that exists with another method is a wrong method, not a wrong path. */
function notFound(request: Request): Response {
  const { path } = requestTarget(request.url);
  const allowed = Object.keys(ROUTES)
    .map((name) => ROUTES[name as RouteName])
    .filter((row) => matches(row.path, path))
    .map(({ method }) => method);
  if (allowed.length === 0) return refusalResponse(refuse('not_found', `nothing is at ${path}`));
  const allow = [...new Set(allowed)].join(', ');
  return refusalResponse(refuse('method_not_allowed', `${request.method} means nothing here`, { allow }));
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  );
}

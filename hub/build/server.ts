import { isPrefetch, PREFETCH_REFUSED, refusesPrefetch } from '@svc/core/api/prefetch';
import { requestTarget } from '@svc/core/api/request-target';
import { Refusal, refuse } from '@svc/core/refusal';
import { handleCall, withCors } from '../calls/handle-call.ts';
import { HTTPS_ONLY } from '../http/router.ts';
import { bugResponse, refusalResponse } from '../platform/http/json-response.ts';
import type { HubContext } from './hub-context.ts';

const CALLS = '/v1/';
/** What a key may call, for programs. No endpoint is there: a slug has no dot. */
const CATALOG = /^\/v1\/[^/]+(?:\/openapi\.json)?$/;

/** Hears of the answer to each call, with the moment of `performance.now()` at which the call came. */
export type CallListener = (arrivedAtMs: number, response: Response) => void;

/** Answers every HTTP request of the hub. Calls come first and without a router: they are what it is for. */
export function createHandler(
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

/** Not a question of a browser before the call, nor one for what there is to call. */
function isCall({ method, url }: Request): boolean {
  if (method === 'OPTIONS') return false;
  const { path } = requestTarget(url);
  return path.startsWith(CALLS) && !CATALOG.test(path);
}

/** Bun takes two Host headers; what stands before the hub may have judged by the other one. */
function refuseTwoHosts({ headers }: Request): void {
  if (headers.get('host')?.includes(','))
    throw refuse('invalid_argument', 'a request with one Host header expected');
}

function refusePrefetch({ headers }: Request, path: string): void {
  if (refusesPrefetch(path) && isPrefetch((name) => headers.get(name)))
    throw refuse('forbidden', PREFETCH_REFUSED);
}

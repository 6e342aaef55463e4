import { type ApiRequest, clientOf, type Send } from '@svc/core/api/client/client-of';
import { LIMITS } from '@svc/core/plan/limits';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { leaveWorkspace, signInAgain } from '../account/sign-in-again.ts';
import { OWN_PAGE, takeBegun } from '../begun-requests.ts';

/** The hub could not be reached: whether the request had an effect is unknown. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** A refusal here means that the person is no longer a member of the workspace. */
const WORKSPACE_PATH = ROUTE_LINES.showWorkspace?.path;

/**
 * A list of choices is the answer for which the hub needs the longest. A request that takes longer is lost: its connection is dead, or the
 * hub at its other end is gone.
 */
const ANSWER_MS = LIMITS.choicesMs + 15_000;

/** Sends a request with the session of the browser, for the selected workspace. */
const send: Send = async (request) => {
  const { method, path } = request;
  const begun = method === 'GET' ? takeBegun(path) : undefined;
  if (begun !== undefined) setTimeout(() => begun.abort.abort(), ANSWER_MS);
  const response = await (begun?.response ?? begin(request)).catch((cause: unknown) => {
    throw new Unreachable('the hub cannot be reached', { cause });
  });
  if (response.status === 401) signInAgain();
  else if (response.status === 403 && path === WORKSPACE_PATH) leaveWorkspace();
  return response;
};

function begin({ method, path, headers, body }: ApiRequest, keepalive = false): Promise<Response> {
  return fetch(path, {
    method,
    keepalive,
    headers: { ...headers, ...OWN_PAGE, ...actingHeaders() },
    signal: AbortSignal.timeout(ANSWER_MS),
    ...(body === undefined ? {} : { body }),
  });
}

/** The API of the hub (`/openapi.json`) without its streams and pages. */
export const api = clientOf(ROUTE_LINES, send);

/** The same for what is sent as the page closes: the browser completes these requests without the page. */
export const closingApi = clientOf(ROUTE_LINES, (request) => begin(request, true));

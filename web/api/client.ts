import { clientOf, type Send } from '@svc/core/api/client/client-of';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { signInAgain } from '../account/sign-in-again.ts';

/** The hub cannot be reached: nothing is known of what became of the request. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Whoever may not even see this is no member of the workspace any more. */
const WHO = ROUTE_LINES.showWorkspace?.path;

/** Sends with the session of the browser, in the workspace that is looked at. */
const send: Send = async ({ method, path, headers, body }) => {
  const response = await fetch(path, {
    method,
    headers: { ...headers, ...actingHeaders() },
    ...(body === undefined ? {} : { body }),
  }).catch((cause: unknown) => {
    throw new Unreachable('the hub cannot be reached', { cause });
  });
  if (response.status === 401 || (response.status === 403 && path === WHO)) signInAgain();
  return response;
};

/** The API of the hub (`/openapi.json`); what it has no method for are streams and pages. */
export const api = clientOf(ROUTE_LINES, send);

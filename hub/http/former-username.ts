import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import type { CallLookups } from '../lookups/caches.ts';

type FormerDeps = { readonly lookups: Pick<CallLookups, 'formerUsername'> };

/**
 * The answer at a URL with a former username: 308 to the same path and query with the present username. Undefined: the name is a
 * present username, or no workspace had it. Refuses with `username_gone` where the owner ended the old URLs (decision 102, change
 * of username).
 *
 * @param before the path before the username, `/v1/` for example
 */
export async function redirectFormer(
  { lookups }: FormerDeps,
  request: Request,
  { before, username }: { readonly before: string; readonly username: string },
): Promise<Response | undefined> {
  const former = await lookups.formerUsername(username);
  if (former === undefined) return undefined;
  if (former.oldUrls === 'gone') throw usernameGone();
  const { path, query } = requestTarget(request.url);
  const rest = path.slice(before.length).replace(/^[^/]*/, '');
  // A path without a host: credentials stay at this hub. 308 keeps method and body.
  const location = `${before}${former.present}${rest}${query === '' ? '' : `?${query}`}`;
  return new Response(null, { status: 308, headers: { Location: location, 'Cache-Control': 'no-store' } });
}

/** The text names neither the workspace nor its present username. */
export function usernameGone() {
  return refuse(
    'username_gone',
    'this username is no longer used, and its URLs have ended: ask who gave you the URL for the new one',
  );
}

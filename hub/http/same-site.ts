import { refuse } from '@svc/core/refusal';
import type { AccessToken } from '../accounts/account-ports.ts';

/** The credential of a request. Only a session is sent by the browser on its own. */
type BySession = { readonly access: Pick<AccessToken, 'kind'> };

const SAFE = new Set(['GET', 'HEAD']);

/**
 * Refuses a form that does not come from our pages (decision 64, borders of people and browsers). Every browser sends `Origin` or
 * `Sec-Fetch-Site` with a form, so a request with neither is not one of our forms.
 */
export function refuseForeignForm(request: Request, hubUrl: string): void {
  const { headers } = request;
  if (!headers.has('sec-fetch-site') && !headers.has('origin')) {
    const { origin } = new URL(hubUrl);
    throw refuse(
      'forbidden',
      `the form does not say where it comes from: browsers send Origin or Sec-Fetch-Site, a program adds the header "Origin: ${origin}"`,
    );
  }
  refuseOtherSites(request, hubUrl);
}

/**
 * Refuses a session for a GET that starts a command, unless a page of this hub sends it. Over plain http a browser adds neither
 * `Sec-Fetch-Site` nor `Origin` to a GET; a header of its own can come from our pages only (decision 64, borders of people and browsers).
 */
export function refuseForeignStart({ access }: BySession, { headers }: Request, hubUrl: string): void {
  if (access.kind !== 'session' || isOwnPage(headers, hubUrl) || headers.has('x-requested-with')) return;
  throw refuse('forbidden', FOREIGN_PAGE);
}

/**
 * Refuses a session for a body that a page of another site could send without a preflight request, such as a form, unless the
 * request has a header of its own (decision 64, borders of people and browsers).
 */
export function refuseSimpleRequest({ access }: BySession, { headers }: Request): void {
  if (access.kind !== 'session' || headers.has('x-requested-with')) return;
  throw refuse('forbidden', 'a form with a session also needs the header X-Requested-With');
}

/** Refuses changes that a page of another site requests, because the browser sends the cookie with them. */
export function refuseOtherSites({ method, headers }: Request, hubUrl: string): void {
  if (!SAFE.has(method) && !isOwnPage(headers, hubUrl)) throw refuse('forbidden', FOREIGN_PAGE);
}

/** Whether the browser says that a page of another site led here. A typed address and a bookmark are `none`. */
export function isFromOtherSite({ headers }: Request): boolean {
  return ['cross-site', 'same-site'].includes(headers.get('sec-fetch-site') ?? 'none');
}

const FOREIGN_PAGE = 'a session is accepted from the pages of this hub only';

function isOwnPage(headers: Headers, hubUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  return site === null ? origin === new URL(hubUrl).origin : site === 'same-origin';
}

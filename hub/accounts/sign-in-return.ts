import { readUserCode } from '@svc/core/token/device-code';
import { readCookie, setCookie } from '../platform/http/cookie.ts';

const COOKIE = 'svc_return';

/** The same life as that of the mailed link. */
const LIFE_SEC = 15 * 60;
const LINK_TOKEN = /^[\w-]{64}$/;

// A cookie keeps the page to return to during sign-in. The mailed link does not contain it, so that an attacker cannot send
// a mail that leads its reader to the attacker's program or team.

/** A view of the dashboard with its search and its place on the page. */
const DASHBOARD_PATH =
  /^\/dashboard(?:\/\w[\w.~-]{0,199}){0,6}(?:\?[\w.~%=&,+:@/-]{0,800})?(?:#[\w.~%=-]{0,100})?$/;

/** The request of an AI client. Browsers keep cookies of up to 4,096 bytes. */
const CONSENT_PATH = /^\/oauth\/authorize\?[\w.~%=&+:@/*-]{1,2500}$/;

/** The page on which a person confirms their new address. */
const EMAIL_LINK = /^\/auth\/email-change\/[\w-]{64}$/;

/** The page on which a person links a sign-in of a workspace. */
const WORKSPACE_LINK = /^\/login\/workspace\/[a-z0-9-]{2,39}\/link$/;

/**
 * The pages to return to, by kind: a program's code, the token of an invitation or an approval, a view of the dashboard, the request
 * of an AI client.
 */
const DESTINATIONS = {
  device(typed: string) {
    const userCode = readUserCode(typed);
    return userCode === undefined ? undefined : { value: userCode, path: `/device?user_code=${userCode}` };
  },
  join(token: string) {
    return LINK_TOKEN.test(token) ? { value: token, path: `/join/${token}` } : undefined;
  },
  dashboard(path: string) {
    return DASHBOARD_PATH.test(path) ? { value: path, path } : undefined;
  },
  connect(path: string) {
    return CONSENT_PATH.test(path) ? { value: path, path } : undefined;
  },
  workspace(path: string) {
    return WORKSPACE_LINK.test(path) ? { value: path, path } : undefined;
  },
  email(path: string) {
    return EMAIL_LINK.test(path) ? { value: path, path } : undefined;
  },
  approve(token: string) {
    return LINK_TOKEN.test(token) ? { value: token, path: `/approve/${token}` } : undefined;
  },
} as const;
type Destination = keyof typeof DESTINATIONS;

/** The cookie with the page to return to; undefined when there is no such page. */
export function returnCookie(hubUrl: string, to: Destination, typed: string): string | undefined {
  const destination = DESTINATIONS[to](typed);
  return destination && setCookie(hubUrl, COOKIE, `${to}.${destination.value}`, LIFE_SEC);
}

/** The cookie for a path that the sign-in page got: a view of the dashboard, or the request of an AI client. */
export function pathReturnCookie(hubUrl: string, path: string): string | undefined {
  return (
    returnCookie(hubUrl, 'dashboard', path) ??
    returnCookie(hubUrl, 'connect', path) ??
    returnCookie(hubUrl, 'workspace', path) ??
    returnCookie(hubUrl, 'email', path)
  );
}

/** The path that the sign-in page got, if it is a view of the dashboard or the request of an AI client. */
export function ownPath(path: string): string | undefined {
  return (DESTINATIONS.dashboard(path) ?? DESTINATIONS.connect(path))?.path;
}

export function endedReturnCookie(hubUrl: string): string {
  return setCookie(hubUrl, COOKIE, '', 0);
}

/** The path to return to after sign-in; undefined for a value that this hub has not set. */
export function returnPath(request: Request, hubUrl: string): string | undefined {
  const value = readCookie(request, hubUrl, COOKIE) ?? '';
  const [, to = '', typed = ''] = /^([a-z]+)\.(.+)$/.exec(value) ?? [];
  return Object.hasOwn(DESTINATIONS, to) ? DESTINATIONS[to as Destination](typed)?.path : undefined;
}

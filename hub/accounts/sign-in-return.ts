import { readUserCode } from '@svc/core/token/device-code';

/** The same life as that of the mailed link. */
const LIFE_SEC = 15 * 60;
const LINK_TOKEN = /^[\w-]{64}$/;

// A cookie keeps the page to return to during sign-in. The mailed link does not contain it, so that an attacker cannot send
// a mail that leads its reader to the attacker's program or team.

/** A view of the dashboard with its search and its place on the page. All characters survive in a cookie. */
const DASHBOARD_PATH =
  /^\/dashboard(?:\/\w[\w.~-]{0,199}){0,6}(?:\?[\w.~%=&,+:@/-]{0,800})?(?:#[\w.~%=-]{0,100})?$/;

/** The pages to return to, by kind: a program's code, the token of an invitation or an approval, a view of the dashboard. */
const DESTINATIONS = {
  device(typed: string) {
    const userCode = readUserCode(typed);
    return userCode === undefined ? undefined : { value: userCode, path: `/device?user_code=${userCode}` };
  },
  join(token: string) {
    return LINK_TOKEN.test(token) ? { value: token, path: `/join/${token}` } : undefined;
  },
  dashboard(path: string) {
    return DASHBOARD_PATH.test(path) ? { value: encodeURIComponent(path), path } : undefined;
  },
  approve(token: string) {
    return LINK_TOKEN.test(token) ? { value: token, path: `/approve/${token}` } : undefined;
  },
} as const;
type Destination = keyof typeof DESTINATIONS;

/** The cookie with the page to return to; undefined when there is no such page. */
export function returnCookie(hubUrl: string, to: Destination, typed: string): string | undefined {
  const destination = DESTINATIONS[to](typed);
  return destination && cookie(hubUrl, `${to}.${destination.value}`, LIFE_SEC);
}

export function endedReturnCookie(hubUrl: string): string {
  return cookie(hubUrl, '', 0);
}

/** The path to return to after sign-in. */
export function returnPath({ headers }: Request, hubUrl: string): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  const [, value = ''] = pairs.find(([name]) => name === nameOf(hubUrl)) ?? [];
  const [, to = '', typed = ''] = /^([a-z]+)\.([\w.~%-]+)$/.exec(value) ?? [];
  return Object.hasOwn(DESTINATIONS, to) ? DESTINATIONS[to as Destination](decoded(typed))?.path : undefined;
}

/** Accepts only values that this hub could have set; other values have no page. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function nameOf(hubUrl: string): string {
  return hubUrl.startsWith('https:') ? '__Host-svc_return' : 'svc_return';
}

function cookie(hubUrl: string, value: string, maxAgeSec: number): string {
  const secure = hubUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(hubUrl)}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`;
}

import { readUserCode } from '@svc/core/token/device-code';

/** As long as the link in the mail works. */
const LIFE_SEC = 15 * 60;
const LINK_TOKEN = /^[\w-]{64}$/;

// Where a browser was on its way to is kept in the browser while its person signs in. It is not in the mailed link: nobody can
// have a mail sent that leads its reader to a program, or into a team, of theirs.

const DASHBOARD_PATH = /^\/dashboard(?:\/\w[\w.~-]{0,199}){0,6}$/;

/** What a browser can come back to, by what leads there: a program's code, the token of an invitation or an approval, a view. */
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

/** The cookie that leads back; undefined when what was typed leads nowhere. */
export function returnCookie(hubUrl: string, to: Destination, typed: string): string | undefined {
  const destination = DESTINATIONS[to](typed);
  return destination && cookie(hubUrl, `${to}.${destination.value}`, LIFE_SEC);
}

export function endedReturnCookie(hubUrl: string): string {
  return cookie(hubUrl, '', 0);
}

/** Where the browser was on its way to when it had to sign in. */
export function returnPath({ headers }: Request, hubUrl: string): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  const [, value = ''] = pairs.find(([name]) => name === nameOf(hubUrl)) ?? [];
  const [, to = '', typed = ''] = /^([a-z]+)\.([\w.~%-]+)$/.exec(value) ?? [];
  return Object.hasOwn(DESTINATIONS, to) ? DESTINATIONS[to as Destination](decoded(typed))?.path : undefined;
}

/** Browsers send what they were given; what others made up leads nowhere. */
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

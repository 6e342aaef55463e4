import { readUserCode } from '@svc/core/token/device-code';

/** As long as the link in the mail works. */
const LIFE_SEC = 15 * 60;
const NAME = 'svc_device';

// The code of a program that waits is kept in the browser while its person signs in. It is not in the mailed link: nobody
// can have a mail sent that leads its reader to a program of theirs.

/** The cookie that leads back to the page of this code; undefined when what was typed cannot be one. */
export function returnCookie(hubUrl: string, typed: string): string | undefined {
  const userCode = readUserCode(typed);
  return userCode && cookie(hubUrl, userCode, LIFE_SEC);
}

export function endedReturnCookie(hubUrl: string): string {
  return cookie(hubUrl, '', 0);
}

/** Where the browser was on its way to when it had to sign in. */
export function returnPath({ headers }: Request): string | undefined {
  const [, value = ''] = /(?:^|;\s*)svc_device=([^;]*)/.exec(headers.get('cookie') ?? '') ?? [];
  const userCode = readUserCode(value);
  return userCode && `/device?user_code=${userCode}`;
}

function cookie(hubUrl: string, value: string, maxAgeSec: number): string {
  const secure = hubUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`;
}

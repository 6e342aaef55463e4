const LIFE_SEC = 14 * 24 * 60 * 60;

/** `__Host-` needs https; browsers drop such a cookie on plain http (decision 44). */
export function cookieName(hubUrl: string): string {
  return hubUrl.startsWith('https:') ? '__Host-svc_session' : 'svc_session';
}

export function sessionCookie(hubUrl: string, token: string): string {
  return cookie(hubUrl, token, LIFE_SEC);
}

export function endedSessionCookie(hubUrl: string): string {
  return cookie(hubUrl, '', 0);
}

/** The value of the session's cookie; undefined when there is none. */
export function readSessionCookie({ headers }: Request, hubUrl: string): string | undefined {
  const name = `${cookieName(hubUrl)}=`;
  for (const pair of headers.get('cookie')?.split(';') ?? []) {
    const text = pair.trim();
    if (text.startsWith(name)) return text.slice(name.length);
  }
  return undefined;
}

function cookie(hubUrl: string, value: string, maxAgeSec: number): string {
  const secure = hubUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(hubUrl)}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`;
}

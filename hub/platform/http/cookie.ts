import { parse, serialize } from 'hono/utils/cookie';

/** A cookie that only this hub gets back. An empty value with no life removes it. */
export function setCookie(hubUrl: string, name: string, value: string, maxAgeSec: number): string {
  const secure = hubUrl.startsWith('https:');
  return serialize(nameOf(hubUrl, name), value, {
    ...{ maxAge: maxAgeSec, path: '/', httpOnly: true, sameSite: 'Lax', secure },
  });
}

/** The value of a cookie that `setCookie` has set; undefined when there is none. */
export function readCookie({ headers }: Request, hubUrl: string, name: string): string | undefined {
  const own = nameOf(hubUrl, name);
  return parse(headers.get('cookie') ?? '', own)[own];
}

/** `__Host-` needs https; browsers drop such a cookie on plain http (decision 44, sign-in). */
function nameOf(hubUrl: string, name: string): string {
  return hubUrl.startsWith('https:') ? `__Host-${name}` : name;
}

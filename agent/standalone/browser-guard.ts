import { isIP } from 'node:net';
import { isPrefetch, PREFETCH_REFUSED, type ReadHeader } from '@svc/core/api/prefetch';
import { type Refusal, refuse } from '@svc/core/refusal';

/** The names of this server, and the browsers that it serves beyond its own pages (decision 51, the standalone server). */
export interface BrowserRules {
  /** The host names of this server in lower case: those of the machine and of `--allow-host`. */
  readonly hostNames: ReadonlySet<string>;
  /** `--allow-browser`: also serves browsers that do not report the origin of a request. */
  readonly allowBrowser: boolean;
}

const BROWSER_HEADERS = ['sec-fetch-site', 'origin', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'];
const OTHER_SITE = 'a page of another site called: only pages of this server and programs may';
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/**
 * Why this request is refused; undefined if it is allowed (decision 51, the standalone server, and decision 64, borders of
 * people and browsers).
 *
 * Every request must use a name that only this server has. A page can point a domain of its own to our address after it was
 * loaded (DNS rebinding), and it can send requests that do not look like those of a browser.
 *
 * A browser marks each request of a page with headers that the page cannot remove. A marked request must come from a page
 * of this server, or directly from the user.
 */
export function browserRefusal(header: ReadHeader, rules: BrowserRules): Refusal | undefined {
  const host = header('host');
  const refusal = hostHeaderRefusal(host, rules);
  if (refusal !== undefined) return refusal;
  if (isPrefetch(header)) return refuse('forbidden', PREFETCH_REFUSED);
  return showsBrowser(header) ? originRefusal(header, host, rules) : undefined;
}

function showsBrowser(header: ReadHeader): boolean {
  return (
    header('user-agent')?.startsWith('Mozilla/') === true ||
    BROWSER_HEADERS.some((name) => header(name) !== null)
  );
}

function originRefusal(header: ReadHeader, host: string | null, rules: BrowserRules): Refusal | undefined {
  const site = header('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return undefined;
  if (site !== null) return refuse('forbidden', OTHER_SITE);
  if (!rules.allowBrowser) {
    return refuse(
      'forbidden',
      'this looks like a browser that does not say which page called, as browsers do over plain http: ' +
        'call from a program such as curl, or start svc serve with --allow-browser',
    );
  }
  return isForeign(header('origin'), host) ? refuse('forbidden', OTHER_SITE) : undefined;
}

/** A browser sends `Origin` with every request that can have a body, even without `Sec-Fetch-Site`. */
function isForeign(origin: string | null, host: string | null): boolean {
  if (origin === null) return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Why this server refuses the name in the `Host` header. The rule is the same for browsers and programs. */
export function hostHeaderRefusal(host: string | null, { hostNames }: BrowserRules): Refusal | undefined {
  if (host === null || host === '')
    return refuse('forbidden', 'the request names no host: a Host header is expected');
  const name = HOST.exec(host)?.groups?.name?.toLowerCase();
  if (name === undefined) {
    return refuse(
      'invalid_argument',
      `${JSON.stringify(host)} in the Host header: one host name or address expected`,
    );
  }
  if (isOurs(name, hostNames)) return undefined;
  return refuse(
    'forbidden',
    `the request calls this server "${name}": call it by its address, or start svc serve with --allow-host ${name} if that is its name`,
  );
}

/** An address cannot be redirected, and browsers resolve `localhost` themselves. */
function isOurs(name: string, hostNames: ReadonlySet<string>): boolean {
  return name === 'localhost' || isAddress(name) || hostNames.has(name);
}

function isAddress(name: string): boolean {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) === 6 : isIP(name) === 4;
}

import { isIP } from 'node:net';
import { type Refusal, refuse } from '@svc/core/refusal';

/** Which browsers may drive this server, beyond pages that it could serve itself (decision 51). */
export interface BrowserRules {
  /** Host names, in lower case, that mean this server: the machine's own and those of `--allow-host`. */
  readonly hostNames: ReadonlySet<string>;
  /** `--allow-browser`: browsers that do not say where a request comes from may execute too. */
  readonly allowBrowser: boolean;
}

/** One header, or null when it is absent; the `get` of a request's headers. */
export type ReadHeader = (name: string) => string | null;

const BROWSER_HEADERS = ['sec-fetch-site', 'origin', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'];
const OTHER_SITE = 'a page of another site called: only pages of this server and programs may';
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/**
 * Why this request may not execute or see anything, or undefined when it may (decision 51).
 *
 * Everything that a browser sends on behalf of a page is marked by headers that the page cannot remove. A marked request
 * has to come from a page of this very server, or from the user's own hand, and by a name that only this server has:
 * a page whose domain is pointed at our address after it was loaded (DNS rebinding) counts as ours by its origin.
 */
export function browserRefusal(header: ReadHeader, rules: BrowserRules): Refusal | undefined {
  const host = header('host');
  if (host !== null && host !== '' && !HOST.test(host)) {
    return refuse(
      'invalid_argument',
      `${JSON.stringify(host)} in the Host header: one host name or address expected`,
    );
  }
  if (!showsBrowser(header)) return undefined;
  return aheadOfTimeRefusal(header) ?? originRefusal(header, host, rules) ?? hostRefusal(host, rules);
}

function showsBrowser(header: ReadHeader): boolean {
  return (
    header('user-agent')?.startsWith('Mozilla/') === true ||
    BROWSER_HEADERS.some((name) => header(name) !== null)
  );
}

/** Chrome loads what it guesses from half-typed addresses and from links: nobody has asked for the execution yet. */
function aheadOfTimeRefusal(header: ReadHeader): Refusal | undefined {
  return header('sec-purpose')?.includes('prefetch') || header('purpose') === 'prefetch'
    ? refuse('forbidden', 'a browser called ahead of time, before anybody asked it to')
    : undefined;
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

/** A browser sends `Origin` with every request that can carry a body, also when it sends no `Sec-Fetch-Site`. */
function isForeign(origin: string | null, host: string | null): boolean {
  if (origin === null) return false;
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

function hostRefusal(host: string | null, rules: BrowserRules): Refusal | undefined {
  const name = HOST.exec(host ?? '')?.groups?.name?.toLowerCase();
  if (name !== undefined && isOurs(name, rules.hostNames)) return undefined;
  return refuse(
    'forbidden',
    name === undefined
      ? 'a browser called without naming a host'
      : `a browser called this server "${name}": start svc serve with --allow-host ${name} if that is its name`,
  );
}

/** An address cannot be pointed elsewhere, and browsers resolve `localhost` themselves. */
function isOurs(name: string, hostNames: ReadonlySet<string>): boolean {
  return name === 'localhost' || isAddress(name) || hostNames.has(name);
}

function isAddress(name: string): boolean {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) === 6 : isIP(name) === 4;
}

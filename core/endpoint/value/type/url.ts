import type { Argument } from '../../definition.ts';

export type UrlRules = Pick<Argument, 'schemes' | 'hosts'>;

/** The accepted schemes of a `url` if the definition names none. */
export const DEFAULT_SCHEMES: readonly string[] = ['https', 'http'];

export const SCHEME_PATTERN = /^[a-z][a-z0-9+.-]*$/;
/** An entry of `hosts`: an exact host, or every host below a domain. An IPv6 address stands in brackets. */
export const HOST_PATTERN = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/;

/** A problem of a URL. `allow` is the line of the definition that would accept it, if there is one. */
export interface UrlProblem {
  readonly clause: string;
  readonly allow?: string;
}

export type ReadUrl =
  | { readonly kind: 'url'; readonly href: string }
  | { readonly kind: 'problem'; readonly problem: UrlProblem };

/**
 * Reads a value with the WHATWG parser and checks the result (decision 57, values by type).
 *
 * `href` is the normalised form. The command gets this form instead of the text of the call, so no other parser can find
 * another host in a checked URL.
 */
export function readUrl(value: string, rules: UrlRules): ReadUrl {
  const url = parsed(value);
  if (url === undefined) return problem({ clause: 'is not an absolute URL, as in https://example.com/x' });
  const found = schemeProblem(url, rules) ?? credentialProblem(url) ?? hostProblem(url, rules);
  return found === undefined ? { kind: 'url', href: url.href } : problem(found);
}

function problem(found: UrlProblem): ReadUrl {
  return { kind: 'problem', problem: found };
}

/** The parser silently drops white space and control characters. Here they are a mistake. */
function parsed(value: string): URL | undefined {
  if (/[\s\x00-\x1f\x7f-\x9f]/.test(value)) return undefined;
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

function schemeProblem({ protocol }: URL, { schemes = DEFAULT_SCHEMES }: UrlRules): UrlProblem | undefined {
  const scheme = protocol.slice(0, -1);
  if (schemes.includes(scheme)) return undefined;
  return { clause: `has the scheme "${scheme}"`, allow: `schemes: [${[...schemes, scheme].join(', ')}]` };
}

function credentialProblem({ username, password }: URL): UrlProblem | undefined {
  return username === '' && password === '' ? undefined : { clause: 'holds a user name or a password' };
}

function hostProblem({ hostname }: URL, { hosts }: UrlRules): UrlProblem | undefined {
  const host = hostname.toLowerCase();
  const isPlain = host === '' || HOST_PATTERN.test(host.replace(/\.$/, ''));
  if (!isPlain || host.startsWith('*')) return { clause: 'has a host that is not a plain name or address' };
  if (hosts === undefined || hosts.some((one) => matches(host, one))) return undefined;
  return { clause: `has the host "${host}"`, allow: `hosts: [${[...hosts, host].join(', ')}]` };
}

function matches(host: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
}

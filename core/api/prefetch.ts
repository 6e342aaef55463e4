/** One header, or null when it is absent; the `get` of a request's headers. */
export type ReadHeader = (name: string) => string | null;

/** `Sec-Purpose` is the standard; Chromium sent `Purpose`, Safari `X-Purpose`, Firefox `X-Moz`. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const AHEAD_OF_TIME = /\b(?:prefetch|prerender|preview)\b/i;

/** Browsers and mail programs load links before a person asks for them. They mark such a request with one of these headers. */
export function isPrefetch(header: ReadHeader): boolean {
  return PURPOSE_HEADERS.some((name) => AHEAD_OF_TIME.test(header(name) ?? ''));
}

export const PREFETCH_REFUSED = 'a browser asked for this ahead of time: open the link yourself';

const NOT_AHEAD_OF_TIME = /^\/(?:v1|login|approve|join|device)(?:\/|$)/;

/** Calls run commands, and the pages behind links act for a person: a browser may not load either ahead of time. */
export function refusesPrefetch(path: string): boolean {
  return NOT_AHEAD_OF_TIME.test(path);
}

/** One header, or null when it is absent; the `get` of a request's headers. */
export type ReadHeader = (name: string) => string | null;

/** `Sec-Purpose` is the standard; Chromium sent `Purpose`, Safari `X-Purpose`, Firefox `X-Moz`. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
const AHEAD_OF_TIME = /\b(?:prefetch|prerender|preview)\b/i;

/**
 * Browsers and mail programs load some links before a person opens them, and mark such requests with one of these headers.
 */
export function isPrefetch(header: ReadHeader): boolean {
  return PURPOSE_HEADERS.some((name) => AHEAD_OF_TIME.test(header(name) ?? ''));
}

export const PREFETCH_REFUSED = 'a browser asked for this ahead of time: open the link yourself';

const NOT_AHEAD_OF_TIME = /^\/(?:v1|login|approve|join|device)(?:\/|$)/;

/** A prefetch is refused where a request acts: calls run commands, and pages behind links act for a person. */
export function refusesPrefetch(path: string): boolean {
  return NOT_AHEAD_OF_TIME.test(path);
}

/** Path and query of a request, percent-encoded as sent. */
export interface RequestTarget {
  readonly path: string;
  /** Without its `?`; empty if there is no query. */
  readonly query: string;
}

/**
 * Splits `Request.url`.
 *
 * `new URL` does not work here: Bun builds `url` from the Host header, and omits the origin if that header is invalid; `new
 * URL` then throws.
 */
export function requestTarget(url: string): RequestTarget {
  const pathAt = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + '://'.length);
  const fragmentAt = url.indexOf('#', pathAt);
  const target = url.slice(pathAt, fragmentAt < 0 ? undefined : fragmentAt);
  const queryAt = target.indexOf('?');
  return queryAt < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, queryAt), query: target.slice(queryAt + 1) };
}

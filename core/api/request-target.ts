/** What a request asks for, percent-encoded as it was sent. */
export interface RequestTarget {
  readonly path: string;
  /** Without its `?`; empty when there is none. */
  readonly query: string;
}

/**
 * Splits `Request.url`.
 *
 * Not with `new URL`: Bun builds `url` from the Host header and leaves the origin out when that makes no sense, and then
 * `new URL` throws.
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

/** A server that is no hub: each path redirects in a way that no client may follow. */
export interface RedirectingServer {
  readonly url: string;
  /** The origin of another server, to which it redirects. */
  readonly other: string;
  /** What came to the other server. It has to be nothing. */
  readonly leaked: readonly string[];
  [Symbol.dispose](): void;
}

export function redirectingServer(): RedirectingServer {
  const leaked: string[] = [];
  const other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      leaked.push(`${request.url} ${JSON.stringify([...request.headers])} ${await request.text()}`);
      return Response.json({});
    },
  });
  const redirecting = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      const isElsewhere = pathname.endsWith('/elsewhere');
      const location = isElsewhere ? `${other.url.origin}${pathname}` : pathname;
      return new Response(null, {
        status: pathname.endsWith('/found') ? 302 : 308,
        headers: { Location: location },
      });
    },
  });
  return {
    url: redirecting.url.origin,
    other: other.url.origin,
    leaked,
    [Symbol.dispose]() {
      void redirecting.stop(true);
      void other.stop(true);
    },
  };
}

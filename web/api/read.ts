import type { ApiCall, ClientRoute } from '@svc/core/api/client/api-call';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export type Answer<Name extends ClientRoute> = Awaited<ReturnType<ApiClient[Name]>>;

/** The parameters of a route's method; none where the route takes none. */
type Call<Name extends ClientRoute> = Parameters<ApiClient[Name]>;

/** The routes that return a list in pages. */
export type ListRoute = {
  [Name in ClientRoute]: Answer<Name> extends {
    readonly items: readonly unknown[];
    readonly next_cursor: string | null;
  }
    ? Name
    : never;
}[ClientRoute];

export type Item<Name extends ListRoute> =
  Answer<Name> extends { readonly items: readonly (infer One)[] } ? One : never;

/**
 * Query options for a route: `useQuery(read('showEndpoint', { parameters: { name } }))`.
 *
 * The key starts with the name of the route: live events make queries stale by that name (`live/stale-routes.ts`).
 */
export function read<Name extends ClientRoute>(name: Name, ...call: Call<Name>) {
  return queryOptions({
    queryKey: [name, 'one', ...call],
    queryFn: () => request(name, call[0] as AnyCall) as Promise<Answer<Name>>,
  });
}

/** Query options for a list in pages, for `useInfiniteQuery`; `data.pages.flatMap(({ items }) => items)` are the rows so far. */
export function readPages<Name extends ListRoute>(name: Name, ...call: Call<Name>) {
  return infiniteQueryOptions({
    queryKey: [name, 'pages', ...call],
    queryFn: ({ pageParam: cursor }) => {
      const { query, ...rest } = (call[0] ?? {}) as { readonly query?: object };
      return request(name, { ...rest, query: { ...query, ...(cursor && { cursor }) } }) as Promise<
        Answer<Name>
      >;
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last as { readonly next_cursor: string | null }).next_cursor ?? undefined,
  });
}

type AnyCall = ApiCall<ClientRoute> | undefined;

function request(name: ClientRoute, call: object | undefined): Promise<unknown> {
  return (api[name] as (call?: object) => Promise<unknown>)(call);
}

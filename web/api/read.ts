import type { ApiCall, ClientRoute } from '@svc/core/api/client/api-call';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export type Answer<Name extends ClientRoute> = Awaited<ReturnType<ApiClient[Name]>>;

/** How a route is asked: with nothing where its row needs nothing. */
type Call<Name extends ClientRoute> = Parameters<ApiClient[Name]>;

/** The routes that answer page by page. */
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
 * What a route answers, for `useQuery`: `useQuery(read('showEndpoint', { parameters: { name } }))`.
 *
 * The key begins with the name of the route, by which what happens makes it be read again (`live/stale-routes.ts`).
 */
export function read<Name extends ClientRoute>(name: Name, ...call: Call<Name>) {
  return queryOptions({
    queryKey: [name, 'one', ...call],
    queryFn: () => ask(name, call[0] as AnyCall) as Promise<Answer<Name>>,
  });
}

/** A list, a page at a time, for `useInfiniteQuery`; `data.pages.flatMap(({ items }) => items)` is what was read so far. */
export function readPages<Name extends ListRoute>(name: Name, ...call: Call<Name>) {
  return infiniteQueryOptions({
    queryKey: [name, 'pages', ...call],
    queryFn: ({ pageParam: cursor }) => {
      const { query, ...rest } = (call[0] ?? {}) as { readonly query?: object };
      return ask(name, { ...rest, query: { ...query, ...(cursor && { cursor }) } }) as Promise<Answer<Name>>;
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last as { readonly next_cursor: string | null }).next_cursor ?? undefined,
  });
}

type AnyCall = ApiCall<ClientRoute> | undefined;

function ask(name: ClientRoute, call: object | undefined): Promise<unknown> {
  return (api[name] as (call?: object) => Promise<unknown>)(call);
}

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { Loading } from './Loading.tsx';
import { Problem } from './Problem.tsx';
import { RowList } from './RowList.tsx';

interface QueryListProps<Item> {
  /** The result of `useInfiniteQuery(readPages(…))`. */
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  /** The rows by name: "executions". */
  readonly what: string;
  readonly idOf: (item: Item) => string;
  readonly row: (item: Item) => ReactNode;
  /** Shown when the list is empty: why, and the next step. */
  readonly empty: ReactNode;
  readonly rowHeight?: number;
  /** See `RowList`. */
  readonly isPlain?: boolean;
}

/** A list of the API in all its states: loading, empty, refused, filled. The next page loads as the reader nears the end. */
export function QueryList<Item>({ query, what, empty, ...rows }: QueryListProps<Item>) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (data === undefined) {
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what={what} />;
  }
  return (
    <>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {items.length === 0 ? empty : <RowList {...rows} label={what} items={items} onEnd={onEnd} />}
      {isFetchingNextPage && <Loading what={`more ${what}`} rows={1} />}
    </>
  );
}

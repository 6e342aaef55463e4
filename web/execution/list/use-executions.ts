import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { read } from '../../api/read.ts';
import type { WireExecution } from '../wire-execution.ts';
import { type ExecutionQuery, firstPageOf } from './execution-search.ts';
import { type ListPage, withFirstPage, withNextPage } from './newest-first.ts';

interface Executions {
  /** Undefined before the first page. */
  readonly items: readonly WireExecution[] | undefined;
  readonly error: Error | null;
  readonly isReadingMore: boolean;
  readonly hasMore: boolean;
  /** The last read stopped at its limit: older executions are unread. */
  readonly isPartial: boolean;
  /** For a search in output: what is not indexed yet. */
  readonly unsearched: { readonly before: string | undefined; readonly from: string | undefined };
  readonly readMore: () => void;
  readonly readAgain: () => void;
}

/** Executions by filters: live events refetch the first page; later pages load once, on scrolling. */
export function useExecutions(filters: ExecutionQuery): Executions {
  const first = useQuery(read('listExecutions', { query: firstPageOf(filters) }));
  const [known, setKnown] = useState<ListPage<WireExecution>>();
  const [error, setError] = useState<Error | null>(null);
  const reading = useRef(false);
  const [isReadingMore, setReadingMore] = useState(false);
  useEffect(() => {
    if (first.data !== undefined) setKnown((before) => withFirstPage(before, first.data));
  }, [first.data]);

  const cursor = known?.next_cursor;
  const readMore = useCallback(() => {
    if (cursor == null || reading.current) return;
    reading.current = true;
    setReadingMore(true);
    api
      .listExecutions({ query: { ...firstPageOf(filters), cursor } })
      .then((next) => {
        setError(null);
        setKnown((before) => before && withNextPage(before, next));
      }, setError)
      .finally(() => {
        reading.current = false;
        setReadingMore(false);
      });
  }, [cursor, filters]);

  const readAgain = () => {
    setError(null);
    if (first.error) void first.refetch();
    else readMore();
  };
  return {
    items: known?.items,
    error: first.error ?? error,
    isReadingMore,
    hasMore: cursor != null,
    isPartial: known?.partial === true,
    unsearched: { before: first.data?.unsearched_before, from: first.data?.unsearched_from },
    readMore,
    readAgain,
  };
}

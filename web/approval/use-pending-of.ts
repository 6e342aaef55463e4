import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readPages } from '../api/read.ts';
import type { ListedApproval } from './approval.ts';

/** The most that the hub returns at once. */
const PAGE = 100;

interface PendingOf {
  readonly approvals: readonly ListedApproval[];
  /** All were found, or there are no more pages. */
  readonly isComplete: boolean;
  readonly error: Error | null;
  readonly readAgain: () => void;
}

/**
 * The pending approvals of these executions. Reads page after page until it has found each, because older ones are not on
 * the first page.
 *
 * @param endpoint the slug of the endpoint of all these executions, which makes the pages fewer
 */
export function usePendingOf(executionIds: readonly string[], endpoint?: string): PendingOf {
  const query = {
    status: 'pending_approval',
    limit: PAGE,
    ...(endpoint !== undefined && { endpoint }),
  } as const;
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(
    readPages('listApprovals', { query }),
  );
  const wanted = new Set(executionIds);
  const approvals =
    data?.pages.flatMap(({ items }) => items.filter(({ execution_id: id }) => wanted.has(id))) ?? [];
  const isComplete = data !== undefined && (approvals.length === wanted.size || !hasNextPage);
  const isNextPageDue = data !== undefined && !isComplete && !isFetching && error === null;
  useEffect(() => {
    if (isNextPageDue) void fetchNextPage();
  }, [isNextPageDue, fetchNextPage]);
  return { approvals, isComplete, error, readAgain: () => void refetch() };
}

import { useQueries } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { read } from '../api/read.ts';
import { NOW_WAIT_MS } from '../page-wait.ts';

/** The number of pending approvals on the page. */
export const MAX_PENDING = 6;

/** The failures that are counted; the page groups them by endpoint. */
export const MAX_FAILED = 50;

/** The last successes on a large screen; another one shows half of them. */
const MAX_DONE = 12;

/** The queries of the Now page. */
export const NOW = {
  waiting: read('listApprovals', { query: { status: 'pending_approval', limit: MAX_PENDING } }),
  running: read('listExecutions', { query: { status: ['running'], limit: 20 } }),
  failed: read('listExecutions', {
    query: { status: ['failed', 'timed_out', 'lost', 'missed'], limit: MAX_FAILED },
  }),
  done: read('listExecutions', { query: { status: ['succeeded', 'cancelled'], limit: MAX_DONE } }),
  day: read('countExecutions'),
  agents: read('listAgents', { query: { limit: 30 } }),
  usage: read('showUsage'),
} as const;

const EXECUTIONS = [NOW.running, NOW.failed, NOW.done];

/** Starts all queries of the page before its code is loaded. */
export function prefetchNow(): void {
  for (const one of EXECUTIONS) void queryClient.prefetchQuery(one);
  void queryClient.prefetchQuery(NOW.waiting);
  void queryClient.prefetchQuery(NOW.day);
  void queryClient.prefetchQuery(NOW.agents);
  void queryClient.prefetchQuery(NOW.usage);
}

/** Whether the page can be shown as a whole: part by part the layout would jump. */
export function useNowIsRead(): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsLate, NOW_WAIT_MS, true);
    return () => clearTimeout(timer);
  }, []);
  const isRead = useQueries({
    queries: [...EXECUTIONS, NOW.waiting, NOW.day, NOW.agents, NOW.usage],
    combine: (all) => all.every(({ isPending }) => !isPending),
  });
  // Deferred, so that React renders in slices and the page stays responsive.
  return useDeferredValue(isRead || isLate);
}

import { useQueries } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { read } from '../api/read.ts';
import { NOW_CALLS } from '../first-reads.ts';
import { NOW_WAIT_MS } from '../page-wait.ts';

/** The queries of the Now page. */
export const NOW = {
  waiting: read(...NOW_CALLS.waiting),
  running: read(...NOW_CALLS.running),
  failed: read(...NOW_CALLS.failed),
  done: read(...NOW_CALLS.done),
  day: read(...NOW_CALLS.day),
  agents: read(...NOW_CALLS.agents),
  usage: read(...NOW_CALLS.usage),
} as const;

const EXECUTIONS = [NOW.running, NOW.failed, NOW.done];

/** Starts all queries of the page; resolves when everything was read. */
export async function prefetchNow(): Promise<void> {
  await Promise.all([
    ...EXECUTIONS.map((one) => queryClient.prefetchQuery(one)),
    queryClient.prefetchQuery(NOW.waiting),
    queryClient.prefetchQuery(NOW.day),
    queryClient.prefetchQuery(NOW.agents),
    queryClient.prefetchQuery(NOW.usage),
  ]);
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

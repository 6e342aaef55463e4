import { useQueries } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { read } from '../api/read.ts';

/** So many calls that wait are shown. */
export const WAITING_SHOWN = 6;

/** Everything that Now shows. */
export const NOW = {
  waiting: read('listApprovals', { query: { status: 'pending_approval', limit: WAITING_SHOWN } }),
  running: read('listExecutions', { query: { status: ['running'], limit: 20 } }),
  wrong: read('listExecutions', { query: { status: ['failed', 'timed_out', 'lost', 'missed'], limit: 6 } }),
  done: read('listExecutions', { query: { status: ['succeeded', 'cancelled'], limit: 6 } }),
  day: read('countExecutions'),
  agents: read('listAgents', { query: { limit: 30 } }),
  usage: read('showUsage'),
} as const;

const EXECUTIONS = [NOW.running, NOW.wrong, NOW.done];

/** Something that takes longer than that is not waited for. */
const LATE_MS = 5_000;

/** Asks for all of it at once, before there is anything to show it on. */
export function beginNow(): void {
  for (const one of EXECUTIONS) void queryClient.prefetchQuery(one);
  void queryClient.prefetchQuery(NOW.waiting);
  void queryClient.prefetchQuery(NOW.day);
  void queryClient.prefetchQuery(NOW.agents);
  void queryClient.prefetchQuery(NOW.usage);
}

/** Whether it can be shown as a whole: part by part it would jump. */
export function useNowIsRead(): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsLate, LATE_MS, true);
    return () => clearTimeout(timer);
  }, []);
  const isRead = useQueries({
    queries: [...EXECUTIONS, NOW.waiting, NOW.day, NOW.agents, NOW.usage],
    combine: (all) => all.every(({ isPending }) => !isPending),
  });
  // Whole, and in pieces of time between which the page answers.
  return useDeferredValue(isRead || isLate);
}

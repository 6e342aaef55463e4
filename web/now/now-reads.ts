import { useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { read } from '../api/read.ts';
import { FAILED_STATES, LIST_PAGE, NOW_CALLS } from '../first-reads.ts';
import { NOW_WAIT_MS } from '../page-wait.ts';
import { leavesOut, readDayFailures } from './day-failures.ts';

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

/** One failure barely changes the count of many. */
const POLL_MS = 60_000;

/** The failures of the last 24 hours, read only where the newest failures leave out some of them. */
export function useDayFailures() {
  const { data: page } = useQuery(NOW.failed);
  const isWanted = page !== undefined && leavesOut(page, Date.now());
  const { data, isPending } = useQuery({
    // A key of its own: each live event of an execution would read all of it again.
    queryKey: ['dayFailures'],
    queryFn: () => readDayFailures(DAY_PORTS, page?.items ?? []),
    enabled: isWanted,
    refetchInterval: POLL_MS,
  });
  return { page, day: isWanted ? data : undefined, isPending: isWanted && isPending };
}

const DAY_PORTS: Parameters<typeof readDayFailures>[0] = {
  count: async (endpoint) =>
    (await api.countExecutions({ query: { bucket: 'hour', ...(endpoint !== undefined && { endpoint }) } }))
      .buckets,
  list: (hour, cursor) =>
    api.listExecutions({
      query: {
        status: [...FAILED_STATES],
        limit: LIST_PAGE,
        ...hour,
        ...(cursor !== undefined && { cursor }),
      },
    }),
};

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

/** The sections of the page from the top to the bottom, as a phone has them. */
const SECTIONS = ['waiting', 'running', 'failed', 'done', 'day', 'agents', 'usage'] as const;
export type NowSection = (typeof SECTIONS)[number];

/**
 * The sections that can be shown: all of them at once, or, when some data is late, those from the top on whose data is there. So a late
 * one moves nothing.
 */
export function useReadSections(): ReadonlySet<NowSection> {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setIsLate, NOW_WAIT_MS, true);
    return () => clearTimeout(timer);
  }, []);
  const { isPending: isCounting } = useDayFailures();
  const count = useQueries({
    queries: SECTIONS.map((section) => NOW[section]),
    combine: (all) =>
      [...all, { isPending: true }].findIndex(
        ({ isPending }, place) => isPending || (isCounting && SECTIONS[place] === 'failed'),
      ),
  });
  const ready = isLate || count === SECTIONS.length ? count : 0;
  const [most, setMost] = useState(0);
  // What was shown stays: the failures of the day are counted again when there are more of them.
  if (ready > most) setMost(ready);
  // Deferred, so that React renders in slices and the page stays responsive.
  const shown = useDeferredValue(most);
  return useMemo(() => new Set(SECTIONS.slice(0, shown)), [shown]);
}

import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { type RecentFigures, recentFigures } from './recent-figures.ts';

/** The executions that the figures of an endpoint are from. */
export const RECENT = 30;
/** One execution barely changes the figures of thirty, and a busy endpoint has many. */
export const POLL_MS = 30_000;

/** The last executions of an endpoint. */
export function recentExecutions(slug: string) {
  return queryOptions({
    // A key of its own: each live event of an execution would make all rows stale.
    queryKey: ['recentExecutions', slug],
    queryFn: () => api.listExecutions({ query: { endpoint: slug, limit: RECENT } }),
  });
}

/** Over HTTP/1.1 a browser has six connections to a hub. */
const CONCURRENCY = 2;

/** The figures of all these endpoints by slug; undefined until all of them are read, and while they are not wanted. */
export function useFigures(
  slugs: readonly string[],
  isWanted: boolean,
): ReadonlyMap<string, RecentFigures> | undefined {
  const client = useQueryClient();
  const [figures, setFigures] = useState<ReadonlyMap<string, RecentFigures>>();
  const wanted = isWanted ? slugs.join(' ') : '';
  useEffect(() => {
    if (wanted === '') return;
    const left = wanted.split(' ');
    const found = new Map<string, RecentFigures>();
    let isCurrent = true;
    const readSome = async () => {
      for (let slug = left.shift(); slug !== undefined && isCurrent; slug = left.shift()) {
        const query = { ...recentExecutions(slug), staleTime: POLL_MS };
        // An endpoint whose executions cannot be read has no figures; the row reads them again.
        const page = await client.fetchQuery(query).catch(() => undefined);
        if (page !== undefined) found.set(slug, recentFigures(page.items));
      }
    };
    void Promise.all(Array.from({ length: CONCURRENCY }, readSome)).then(
      () => isCurrent && setFigures(found),
    );
    return () => {
      isCurrent = false;
    };
  }, [client, wanted]);
  return isWanted ? figures : undefined;
}

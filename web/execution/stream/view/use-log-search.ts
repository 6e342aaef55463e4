import { useEffect, useMemo, useState } from 'react';
import type { LineLog } from '../line-log.ts';
import { LogSearch } from '../log-search.ts';

/** So long a slice of a search may take: a frame has 16 ms. */
const SLICE_MS = 6;

/** A search that goes on while the log grows; undefined without a query. Draws again as it finds more. */
export function useLogSearch(
  log: LineLog,
  query: string,
  { revision, isRaw }: { readonly revision: number; readonly isRaw: boolean },
): LogSearch | undefined {
  const search = useMemo(
    () => (query === '' ? undefined : new LogSearch(log, query, { raw: isRaw })),
    [log, query, isRaw],
  );
  const [, setTotal] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what there is more to search in
  useEffect(() => {
    if (search === undefined) return;
    let frame = 0;
    const goOn = () => {
      const untilMs = performance.now() + SLICE_MS;
      search.advance(() => performance.now() < untilMs);
      setTotal(search.total);
      if (!search.isComplete) frame = requestAnimationFrame(goOn);
    };
    frame = requestAnimationFrame(goOn);
    return () => cancelAnimationFrame(frame);
  }, [search, revision]);
  return search;
}

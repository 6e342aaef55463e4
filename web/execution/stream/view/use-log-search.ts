import { useEffect, useMemo, useReducer } from 'react';
import type { LineLog } from '../line-log.ts';
import { LogSearch } from '../log-search.ts';

/** The time of one slice of a search: a frame has 16 ms. */
const SLICE_MS = 6;

/** A search that continues while the log grows; undefined without a query. Rerenders on new matches. */
export function useLogSearch(
  log: LineLog,
  query: string | RegExp,
  { revision, isRaw }: { readonly revision: number; readonly isRaw: boolean },
): LogSearch | undefined {
  const search = useMemo(
    () => (query === '' ? undefined : new LogSearch(log, query, { raw: isRaw })),
    [log, query, isRaw],
  );
  const [, rerender] = useReducer((renders: number) => renders + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision means more text to search
  useEffect(() => {
    if (search === undefined) return;
    let frame = 0;
    const searchSlice = () => {
      const untilMs = performance.now() + SLICE_MS;
      const wasComplete = search.isComplete;
      const isNew = search.advance(() => performance.now() < untilMs);
      // A total would be equal for two queries with as many matches.
      if (isNew || search.isComplete !== wasComplete) rerender();
      if (!search.isComplete) frame = requestAnimationFrame(searchSlice);
    };
    frame = requestAnimationFrame(searchSlice);
    return () => cancelAnimationFrame(frame);
  }, [search, revision]);
  return search;
}

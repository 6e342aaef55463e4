import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { showDone } from '../../../design/overlay/toasts.ts';
import { ERROR_WORDS } from '../error-lines.ts';
import type { LineLog } from '../line-log.ts';
import { LogSearch } from '../log-search.ts';

/** Shows the first match from the current position on; later matches do not move the view. */
export function useFirstMatch(
  search: LogSearch | undefined,
  from: number,
  goTo: (ordinal: number) => void,
): void {
  const done = useRef<LogSearch>(undefined);
  const start = useRef(from);
  useEffect(() => {
    if (search === undefined) start.current = from;
    if (search === undefined || done.current === search || !search.isDecidedFrom(start.current)) return;
    done.current = search;
    goTo(search.firstFrom(start.current));
  });
}

/** The time of one slice of a search: a frame has 16 ms. */
const SLICE_MS = 6;

/**
 * A search that continues while the log grows; undefined without a query, and until all lines are loaded. Rerenders on new matches.
 */
export function useLogSearch(
  log: LineLog,
  query: string | RegExp,
  { revision, isRaw }: { readonly revision: number; readonly isRaw: boolean },
): LogSearch | undefined {
  const { isWhole } = log;
  const search = useMemo(
    () => (query === '' || !isWhole ? undefined : new LogSearch(log, query, { raw: isRaw })),
    [log, query, isRaw, isWhole],
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

/**
 * The lines with errors, and the one that the person went to: each press goes to the next, and from the last to the first. Which is
 * the first is known when all lines are loaded, so the first press waits for them.
 */
export function useErrors(log: LineLog, revision: number, show: (line: number) => void) {
  const search = useLogSearch(log, ERROR_WORDS, { revision, isRaw: false });
  const [line, setLine] = useState<number>();
  const [isWaiting, setWaiting] = useState(false);
  const goToNext = () => {
    if (search === undefined) return setWaiting(true);
    const match = search.at(line === undefined ? 0 : search.firstFrom(line + 1));
    if (match === undefined) return;
    setLine(match.line);
    show(match.line);
  };
  const isDecided = search !== undefined && (search.total > 0 || search.isComplete);
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes once, when the first error is known
  useEffect(() => {
    if (!isWaiting || !isDecided) return;
    setWaiting(false);
    if (search.total === 0) showDone('No line reads like an error');
    else goToNext();
  }, [isWaiting, isDecided]);
  const isDropped = line !== undefined && line < log.first;
  const hasAny = !log.isWhole || (search?.total ?? 0) > 0;
  return { hasAny, line: isDropped ? undefined : line, goToNext, isWaiting };
}

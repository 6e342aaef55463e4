import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { TailLog, type TailRow } from './tail-log.ts';
import type { TailSearch } from './tail-search.ts';
import { followTail, type TailPhase } from './tail-stream.ts';

interface Tail {
  readonly phase: TailPhase;
  readonly rows: readonly TailRow[];
  /** Rows that arrived since the pause. */
  readonly newRows: number;
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  readonly clear: () => void;
}

/** The live output under a filter, drawn at most once per frame. A pause keeps the rows as they are; the stream goes on. */
export function useTail(search: TailSearch): Tail {
  const log = useRef(new TailLog());
  const [phase, setPhase] = useState<TailPhase>({ kind: 'connecting' });
  const [paused, setPausedAt] = useState<{ readonly rows: readonly TailRow[]; readonly count: number }>();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const { endpoint, text, stderr } = search;
  useEffect(() => {
    const leave = new AbortController();
    let frame = 0;
    const drawSoon = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        draw();
      });
    };
    // Another filter starts a new list.
    log.current = new TailLog();
    setPausedAt(undefined);
    void followTail({
      search: { ...(endpoint && { endpoint }), ...(text && { text }), ...(stderr && { stderr }) },
      signal: leave.signal,
      onPhase: setPhase,
      onEvent(event) {
        log.current.add(event);
        drawSoon();
      },
    });
    return () => {
      leave.abort();
      cancelAnimationFrame(frame);
    };
  }, [endpoint, text, stderr]);
  const setPaused = useCallback(
    (isPaused: boolean) =>
      setPausedAt(isPaused ? { rows: log.current.rows(), count: log.current.count } : undefined),
    [],
  );
  const clear = useCallback(() => {
    log.current = new TailLog();
    setPausedAt(undefined);
    draw();
  }, []);
  return {
    phase,
    rows: paused?.rows ?? log.current.rows(),
    newRows: paused === undefined ? 0 : log.current.count - paused.count,
    isPaused: paused !== undefined,
    setPaused,
    clear,
  };
}

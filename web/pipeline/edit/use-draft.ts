import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useReducer } from 'react';

interface Drawn {
  readonly past: readonly Pipeline[];
  readonly now: Pipeline;
  readonly future: readonly Pipeline[];
}

type Move = 'undo' | 'redo' | ((pipeline: Pipeline) => Pipeline);

const MAX_UNDO = 200;

/** The draft of a pipeline, with undo and redo. */
export function useDraft(saved: Pipeline) {
  const [{ past, now, future }, move] = useReducer(moved, { past: [], now: saved, future: [] });
  return {
    pipeline: now,
    isChanged: now !== saved && JSON.stringify(now) !== JSON.stringify(saved),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    change: (change: (pipeline: Pipeline) => Pipeline) => move(change),
    undo: () => move('undo'),
    redo: () => move('redo'),
  };
}

export type Draft = ReturnType<typeof useDraft>;

export function moved({ past, now, future }: Drawn, move: Move): Drawn {
  if (move === 'undo') {
    const before = past.at(-1);
    return before === undefined
      ? { past, now, future }
      : { past: past.slice(0, -1), now: before, future: [now, ...future] };
  }
  if (move === 'redo') {
    const [after, ...rest] = future;
    return after === undefined ? { past, now, future } : { past: [...past, now], now: after, future: rest };
  }
  const next = move(now);
  return next === now
    ? { past, now, future }
    : { past: [...past, now].slice(-MAX_UNDO), now: next, future: [] };
}

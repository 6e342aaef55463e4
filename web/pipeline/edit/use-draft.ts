import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useReducer, useState } from 'react';
import { storedDraft, useStoredDraft } from '../../design/form/use-kept-draft.ts';

interface Drawn {
  readonly past: readonly Pipeline[];
  readonly now: Pipeline;
  readonly future: readonly Pipeline[];
}

type Move = 'undo' | 'redo' | ((pipeline: Pipeline) => Pipeline);

const MAX_UNDO = 200;

/** The draft of a pipeline, with undo and redo. This tab keeps it under `name` (`useStoredDraft`). */
export function useDraft(name: string, saved: Pipeline) {
  const [stored] = useState(() => storedDraft<Pipeline>(name));
  const [{ past, now, future }, move] = useReducer(moved, {
    past: stored === undefined ? [] : [saved],
    now: stored ?? saved,
    future: [],
  });
  const isChanged = now !== saved && JSON.stringify(now) !== JSON.stringify(saved);
  useStoredDraft(name, isChanged ? withoutSecret(now) : undefined);
  return {
    pipeline: now,
    isChanged,
    isRestored: isChanged && stored !== undefined,
    discard: () => move(() => saved),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    change: (change: (pipeline: Pipeline) => Pipeline) => move(change),
    undo: () => move('undo'),
    redo: () => move('redo'),
  };
}

/** A literal secret of a webhook stays in memory. */
function withoutSecret({ trigger: { secret: _secret, ...trigger }, ...rest }: Pipeline): Pipeline {
  return { ...rest, trigger };
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

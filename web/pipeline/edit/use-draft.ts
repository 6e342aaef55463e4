import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useReducer, useState } from 'react';
import { type Edit, isSame, type Saved, shownEdit } from '../../design/form/edit.ts';
import { storedDraft, useStoredDraft } from '../../design/form/use-kept-draft.ts';

interface Drawn {
  /** The version that the changes began with. */
  readonly base: Saved<Pipeline>;
  readonly past: readonly Pipeline[];
  readonly now: Pipeline;
  readonly future: readonly Pipeline[];
}

/** `onto`: the same drawing on another version. `saved`: the drawing was saved as that version. */
type Move =
  | 'undo'
  | 'redo'
  | { readonly onto: Saved<Pipeline> }
  | { readonly saved: Saved<Pipeline>; readonly sent: Pipeline }
  | ((pipeline: Pipeline) => Pipeline);

const MAX_UNDO = 200;

/** The draft of a pipeline, with undo and redo. This tab keeps it under `name` (`useStoredDraft`). */
export function useDraft(name: string, newest: Saved<Pipeline>) {
  const [stored] = useState(() => storedDraft<Edit<Pipeline>>(name));
  const [drawn, dispatch] = useReducer(
    (before: Drawn, move: Move) => moved(followed(before, newest), move),
    stored === undefined
      ? drawnFrom(newest)
      : { base: stored.base, past: [stored.base.content], now: stored.content, future: [] },
  );
  const { base, past, now, future } = followed(drawn, newest);
  const { isChanged, isOutdated } = shownEdit({ base, content: now }, newest);
  useStoredDraft(name, isChanged ? { base, content: withoutSecret(now) } : undefined);
  return {
    pipeline: now,
    base,
    isChanged,
    isOutdated,
    isRestored: isChanged && stored !== undefined,
    discard: () => dispatch(() => newest.content),
    rebase: () => dispatch({ onto: newest }),
    onSaved: (saved: Saved<Pipeline>, sent: Pipeline) => dispatch({ saved, sent }),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    change: (change: (pipeline: Pipeline) => Pipeline) => dispatch(change),
    undo: () => dispatch('undo'),
    redo: () => dispatch('redo'),
  };
}

/** A literal secret of a webhook stays in memory. */
function withoutSecret({ trigger: { secret: _secret, ...trigger }, ...rest }: Pipeline): Pipeline {
  return { ...rest, trigger };
}

export type Draft = ReturnType<typeof useDraft>;

function drawnFrom(base: Saved<Pipeline>): Drawn {
  return { base, past: [], now: base.content, future: [] };
}

/** A drawing without changes follows the newest version; one with changes stays as it is. */
export function followed(drawn: Drawn, newest: Saved<Pipeline>): Drawn {
  const { base, now } = drawn;
  if (newest === base || (newest.version === base.version && isSame(newest.content, base.content)))
    return drawn;
  if (isSame(now, newest.content)) return { ...drawn, base: newest };
  return isSame(now, base.content) ? drawnFrom(newest) : drawn;
}

export function moved(drawn: Drawn, move: Move): Drawn {
  const { base, past, now, future } = drawn;
  if (move === 'undo') {
    const before = past.at(-1);
    return before === undefined
      ? drawn
      : { base, past: past.slice(0, -1), now: before, future: [now, ...future] };
  }
  if (move === 'redo') {
    const [after, ...rest] = future;
    return after === undefined ? drawn : { base, past: [...past, now], now: after, future: rest };
  }
  if (typeof move === 'object') {
    if ('onto' in move) return { ...drawn, base: move.onto };
    // What was drawn while the save was under way is left to save.
    return { ...drawn, base: move.saved, now: isSame(now, move.sent) ? move.saved.content : now };
  }
  const next = move(now);
  return next === now ? drawn : { base, past: [...past, now].slice(-MAX_UNDO), now: next, future: [] };
}

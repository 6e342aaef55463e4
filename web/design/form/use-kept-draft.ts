import { useCallback, useEffect, useState } from 'react';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';

/** The unsaved content of a form. */
export interface KeptDraft<Draft> {
  readonly draft: Draft;
  readonly change: (next: Draft) => void;
  readonly isChanged: boolean;
  /** The draft is from an earlier visit to the page. */
  readonly isRestored: boolean;
  /** Returns to the saved state. */
  readonly discard: () => void;
  /** Begins again with this content, which counts as saved. */
  readonly startOver: (next: Draft) => void;
}

interface KeptState<Draft> {
  readonly draft: Draft;
  readonly isRestored: boolean;
  /** What the form began again with, in place of what is saved. */
  readonly begun?: Draft;
}

interface DraftOptions {
  /** The form has a word or two: the browser does not ask before the tab is closed. */
  readonly isShort?: boolean;
}

/** The draft of a form, kept in this tab until it is saved or discarded. See `useStoredDraft` for `name`. */
export function useKeptDraft<Draft extends object>(
  name: string,
  saved: Draft,
  options: DraftOptions = {},
): KeptDraft<Draft> {
  const [{ draft, isRestored, begun }, set] = useState<KeptState<Draft>>(() => {
    const stored = storedDraft<Draft>(name);
    // A draft of an earlier version lacks the fields that are new.
    return { draft: { ...saved, ...stored }, isRestored: stored !== undefined };
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(begun ?? saved);
  // Also where the form is gone by now, because what it has done replaced it.
  const restart = (next: KeptState<Draft>) => {
    forgetDraft(name);
    set(next);
  };
  useStoredDraft(name, isChanged ? draft : undefined, options);
  return {
    draft,
    isChanged,
    isRestored: isRestored && isChanged,
    change: useCallback((next) => set((before) => ({ ...before, draft: next })), []),
    discard: () => restart({ draft: saved, isRestored: false }),
    startOver: (next) => restart({ draft: next, isRestored: false, begun: next }),
  };
}

/**
 * Stores a draft in this tab; undefined: there are no changes to store. The browser asks before the tab is closed, unless the form is short.
 *
 * NOTE: the draft is stored as JSON, so it must contain no secret.
 *
 * @param name of the form; it identifies the object and its saved version
 */
export function useStoredDraft(name: string, draft: unknown, { isShort = false }: DraftOptions = {}): void {
  const text = draft === undefined ? undefined : JSON.stringify(draft);
  useEffect(() => {
    if (text === undefined) return forgetDraft(name);
    sessionStorage.setItem(keyOf(name), text);
    if (isShort) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [name, text, isShort]);
}

export function storedDraft<Draft>(name: string): Draft | undefined {
  const stored = sessionStorage.getItem(keyOf(name));
  return stored === null ? undefined : (JSON.parse(stored) as Draft);
}

/** Stores a draft in this tab at once, without a question when the tab is closed. It must contain no secret. */
export function storeDraft(name: string, draft: unknown): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
}

/** Called after a save, before the page of the form is left. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

function keyOf(name: string): string {
  return `svc.draft.${chosenWorkspace() ?? ''}.${name}`;
}

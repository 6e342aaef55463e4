import { useState } from 'react';
import { afterSave, type Edit, rebased, restoredEdit, type Saved, shownEdit } from './edit.ts';
import { storedDraft, useStoredDraft } from './use-kept-draft.ts';

/** The unsaved changes to an object that others may save meanwhile. */
export interface KeptEdit<Content> {
  /** The content of the form. */
  readonly draft: Content;
  /** The version that the changes began with; without changes the newest one. */
  readonly base: Saved<Content>;
  readonly change: (next: Content) => void;
  readonly isChanged: boolean;
  /** The changes are from an earlier visit to the page. */
  readonly isRestored: boolean;
  /** A newer version exists than the one that the changes began with. */
  readonly isOutdated: boolean;
  /** Shows the newest version. */
  readonly discard: () => void;
  /** Applies the changes to the newest version. */
  readonly rebase: () => void;
  /** Called after a save of this person (`afterSave`). */
  readonly onSaved: (save: Parameters<typeof afterSave<Content & object>>[1]) => void;
}

/** The edit of a saved object, kept in this tab until it is saved or discarded. `name` identifies the object. */
export function useEdit<Content extends object>(name: string, newest: Saved<Content>): KeptEdit<Content> {
  const [{ edit, isRestored }, set] = useState<{ edit: Edit<Content> | undefined; isRestored: boolean }>(
    () => {
      const stored = storedDraft<Edit<Content>>(name);
      return stored === undefined
        ? { edit: undefined, isRestored: false }
        : { edit: restoredEdit(stored, newest.content), isRestored: true };
    },
  );
  const shown = shownEdit(edit, newest);
  const { base, content, isChanged, isOutdated } = shown;
  useStoredDraft(name, isChanged ? { base, content } : undefined);
  return {
    draft: content,
    base,
    isChanged,
    isRestored: isRestored && isChanged,
    isOutdated,
    change: (next) => set((before) => ({ ...before, edit: { base, content: next } })),
    discard: () => set({ edit: undefined, isRestored: false }),
    rebase: () => set({ edit: rebased(shown, newest), isRestored: false }),
    onSaved: (save) => set((before) => ({ edit: afterSave(before.edit, save), isRestored: false })),
  };
}

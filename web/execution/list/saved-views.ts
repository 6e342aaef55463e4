import { useState } from 'react';
import { useAccount } from '../../account/account.ts';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';
import { accountKey } from '../../account/kept-settings.ts';
import { type ExecutionSearch, readExecutionSearch } from './execution-search.ts';

/** Filters that a person gave a name. */
export interface SavedView {
  readonly name: string;
  readonly search: ExecutionSearch;
}

/** The views that this browser stores for the person, in the selected workspace. A view with a name that exists replaces the other. */
export function useSavedViews() {
  const key = accountKey(useAccount().account_id, `views.${chosenWorkspace() ?? ''}`);
  const [views, setViews] = useState(() => readViews(localStorage.getItem(key)));
  const keep = (next: readonly SavedView[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  return {
    views,
    save: (view: SavedView) => keep([...views.filter(({ name }) => name !== view.name), view]),
    remove: (name: string) => keep(views.filter((view) => view.name !== name)),
  };
}

/** Ignores invalid views, so that a later version may store more. */
export function readViews(stored: string | null): readonly SavedView[] {
  const list: unknown = JSON.parse(stored ?? '[]');
  if (!Array.isArray(list)) return [];
  return (list as readonly Partial<SavedView>[]).flatMap(({ name, search }) =>
    typeof name === 'string' && typeof search === 'object'
      ? [{ name, search: readExecutionSearch({ ...search }) }]
      : [],
  );
}

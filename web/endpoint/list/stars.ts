import { useState } from 'react';
import { chosenWorkspace } from '../../account/chosen-workspace.ts';

/** The endpoints that a person has starred in this browser, for the selected workspace. */
export function useStars(): {
  readonly starred: ReadonlySet<string>;
  readonly toggle: (slug: string) => void;
} {
  const key = `svc.starred.${chosenWorkspace() ?? ''}`;
  const [starred, set] = useState(() => new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as string[]));
  return {
    starred,
    toggle(slug) {
      const next = new Set(starred);
      if (!next.delete(slug)) next.add(slug);
      localStorage.setItem(key, JSON.stringify([...next]));
      set(next);
    },
  };
}

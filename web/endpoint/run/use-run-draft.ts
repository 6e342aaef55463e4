import { useState } from 'react';
import { forgetDraft, storeDraft, storedDraft } from '../../design/form/use-kept-draft.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { type RunDraft, runDraft, valuesOfDraft } from './run-draft.ts';
import type { RunValues } from './run-values.ts';

export interface KeptValues {
  readonly values: RunValues;
  readonly change: (values: RunValues) => void;
  /** The values are from an earlier visit to the page, and no run has begun with them. */
  readonly areRestored: boolean;
  readonly clear: () => void;
  /** Called when a run has begun with the values: they are stored with it. */
  readonly forget: () => void;
}

/** The values of a run form. This tab keeps them until a run begins, so that a look at another page loses none. */
export function useRunDraft(endpoint: WireEndpoint): KeptValues {
  const name = `run.${endpoint.slug}`;
  const [{ values, areRestored }, set] = useState(() => {
    const stored = valuesOfDraft(endpoint, storedDraft<RunDraft>(name));
    return { values: stored, areRestored: stored.size > 0 };
  });
  const keep = (next: RunValues) => {
    const draft = runDraft(endpoint, next);
    if (Object.keys(draft).length === 0) forgetDraft(name);
    else storeDraft(name, draft);
  };
  return {
    values,
    areRestored,
    change(next) {
      set((before) => ({ ...before, values: next }));
      keep(next);
    },
    clear() {
      set({ values: new Map(), areRestored: false });
      forgetDraft(name);
    },
    forget() {
      set((before) => ({ ...before, areRestored: false }));
      forgetDraft(name);
    },
  };
}

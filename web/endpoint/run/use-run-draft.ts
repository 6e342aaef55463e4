import { useState } from 'react';
import { forgetDraft, storeDraft, storedDraft } from '../../design/form/use-kept-draft.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { type RunDraft, runDraft, valuesOfDraft } from './run-draft.ts';
import type { RunValues } from './run-values.ts';

export interface KeptValues {
  readonly values: RunValues;
  readonly change: (values: RunValues) => void;
  /** Fills the form with the values of an earlier execution, unless the kept values began with them. */
  readonly fillFrom: (executionId: string, values: RunValues) => void;
  /** The values are from an earlier visit to the page, and no run has begun with them. */
  readonly areRestored: boolean;
  readonly clear: () => void;
  /** Called when a run has begun with the values: they are stored with it. */
  readonly forget: () => void;
}

/** The values of a run form. This tab keeps them until a run begins, so that a look at another page loses none. */
export function useRunDraft(endpoint: WireEndpoint): KeptValues {
  const name = `run.${endpoint.slug}`;
  /** Keeps the id of the execution that filled the form. */
  const origin = `${name}.from`;
  const [{ values, areRestored }, set] = useState(() => {
    const stored = valuesOfDraft(endpoint, storedDraft<RunDraft>(name));
    return { values: stored, areRestored: stored.size > 0 };
  });
  const keep = (next: RunValues) => {
    const draft = runDraft(endpoint, next);
    if (Object.keys(draft).length === 0) forgetDraft(name);
    else storeDraft(name, draft);
  };
  const forgetStored = () => {
    forgetDraft(name);
    forgetDraft(origin);
  };
  return {
    values,
    areRestored,
    change(next) {
      set((before) => ({ ...before, values: next }));
      keep(next);
    },
    fillFrom(executionId, next) {
      // After a reload, the person may have changed some of them.
      if (areRestored && storedDraft<string>(origin) === executionId) return;
      set({ values: next, areRestored: false });
      keep(next);
      storeDraft(origin, executionId);
    },
    clear() {
      set({ values: new Map(), areRestored: false });
      forgetStored();
    },
    forget() {
      set((before) => ({ ...before, areRestored: false }));
      forgetStored();
    },
  };
}

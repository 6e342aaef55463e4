import { useSyncExternalStore } from 'react';
import type { Decision, ListedApproval } from './approval.ts';

/** The decision that a person is about to confirm. */
export interface AskedDecision {
  readonly approval: ListedApproval;
  readonly decision: Decision;
}

let asked: AskedDecision | undefined;
const listeners = new Set<() => void>();

/** Opens the dialog of a decision, or closes it. The page has one, above the lists of approvals, whose rows come and go. */
export function askDecision(next: AskedDecision | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

export function useAskedDecision(): AskedDecision | undefined {
  return useSyncExternalStore(subscribe, () => asked);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

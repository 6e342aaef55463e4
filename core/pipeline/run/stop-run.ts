import { isActive, type RunDraft } from './draft.ts';
import { isDone } from './state.ts';

/**
 * Ends a run early: running steps are cancelled, steps that wait for a retry are not retried, and steps that have not begun
 * are skipped (decision 41, pipeline runs). The run itself ends with its last step.
 */
export function stopRun(draft: RunDraft, state: 'failed' | 'cancelled', stoppedBy?: string): void {
  draft.stop(state, stoppedBy);
  for (const record of draft.allNodes()) {
    if (isDone(record)) continue;
    const { retryAtMs, ...rest } = record;
    if (!isActive(record)) draft.put({ ...rest, state: 'skipped' });
    else if (retryAtMs !== undefined) draft.put({ ...rest, state: 'cancelled', endedAtMs: draft.atMs });
    else {
      draft.put({ ...rest, cancelling: true });
      draft.actions.push({ kind: 'cancel_step', step: record.id, attempt: record.attempt });
    }
  }
}

import type { NodeState } from '@svc/core/pipeline/run/state';
import type { Item } from '../../api/read.ts';
import type { ShownState } from '../../design/state/states.ts';

export const RUN_TRIGGER_WORDS: Readonly<Record<Item<'listPipelineRuns'>['trigger'], string>> = {
  call: 'called',
  webhook: 'by a webhook',
  dashboard: 'from the dashboard',
  rerun: 'run again',
};

/** Runs and nodes have the states of executions, but for the one that waits. */
export function shownRunState(state: NodeState): ShownState {
  return state === 'waiting_approval' ? 'pending_approval' : state;
}

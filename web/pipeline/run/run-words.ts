import type { NodeState } from '@svc/core/pipeline/run/state';
import type { Item } from '../../api/read.ts';
import type { ShownState } from '../../design/state/states.ts';

export const RUN_TRIGGER_WORDS: Readonly<Record<Item<'listPipelineRuns'>['trigger'], string>> = {
  call: 'Call',
  webhook: 'Webhook',
  dashboard: 'Dashboard',
  rerun: 'Rerun',
  mcp: 'AI agent',
};

/** Maps a state of a run or node to the state of an execution with the same meaning. */
export function shownRunState(state: NodeState): ShownState {
  return state === 'waiting_approval' ? 'pending_approval' : state;
}

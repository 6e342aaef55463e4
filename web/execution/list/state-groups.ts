import { EXECUTION_STATES, type ExecutionState } from '@svc/core/execution/state';
import { type ExecutionSearch, statesOf } from './execution-search.ts';

/** States that people look for together. */
export const STATE_GROUPS = [
  { label: 'Running', mark: 'running', states: ['running'] },
  { label: 'Waiting', mark: 'pending_approval', states: ['queued', 'pending_approval'] },
  { label: 'Succeeded', mark: 'succeeded', states: ['succeeded'] },
  { label: 'Failed', mark: 'failed', states: ['failed', 'timed_out', 'lost'] },
  { label: 'Cancelled', mark: 'cancelled', states: ['cancelled'] },
  { label: 'Never ran', mark: 'missed', states: ['denied', 'expired', 'missed', 'rejected'] },
] as const satisfies readonly {
  readonly label: string;
  readonly mark: ExecutionState;
  readonly states: readonly ExecutionState[];
}[];

type StateGroup = (typeof STATE_GROUPS)[number];

/** Whether all, some or none of the states of a group are in the filter. */
export function groupState({ status }: ExecutionSearch, { states }: StateGroup): 'all' | 'some' | 'none' {
  const wanted = statesOf(status);
  const count = states.filter((state) => wanted.includes(state)).length;
  return count === 0 ? 'none' : count === states.length ? 'all' : 'some';
}

/** The states after a press on a group: adds all of it, or removes it if all of it was there. */
export function withGroup(search: ExecutionSearch, group: StateGroup): string {
  const wanted = statesOf(search.status);
  const states: readonly ExecutionState[] = group.states;
  if (groupState(search, group) === 'all') return wanted.filter((state) => !states.includes(state)).join(',');
  return EXECUTION_STATES.filter((state) => wanted.includes(state) || states.includes(state)).join(',');
}

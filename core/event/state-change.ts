import type { HubEventOf } from './hub-event.ts';

/**
 * The events after which the store has a new state of an execution or pipeline run: it started, it ended without having run,
 * or the run continues. The end of an execution that ran reaches its readers with its output.
 */
export const STATE_EVENTS = [
  'execution_started',
  'execution_withdrawn',
  'approval_closed',
  'run_changed',
] as const;

/** The execution or run whose state has changed. */
export function changedBy(event: HubEventOf<(typeof STATE_EVENTS)[number]>): string {
  switch (event.kind) {
    case 'execution_started':
      return event.execution.id;
    case 'execution_withdrawn':
      return event.executionId;
    case 'approval_closed':
      return event.approval.executionId;
    case 'run_changed':
      return event.run.id;
  }
}

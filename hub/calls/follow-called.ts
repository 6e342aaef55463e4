import {
  type FollowDeps,
  type Following,
  followExecution,
  followNew,
} from '../executions/follow-execution.ts';
import type { Called } from './call-endpoint.ts';

/** A call that has an execution now, as it needs no approval. */
type Started = Exclude<Called, { kind: 'pending' }>;

export function executionIdOf(called: Started): string {
  return called.kind === 'running' ? called.running.live.id : called.execution.id;
}

/** The output of a call from its first line, at whichever hub it runs. */
export function followCalled(deps: FollowDeps, called: Started): Following {
  switch (called.kind) {
    case 'running':
      return followNew(deps, called.running.live);
    case 'remote':
      return followExecution(deps, called.execution, 0, called.feed);
    case 'queued':
    case 'repeated':
      return followExecution(deps, called.execution, 0);
  }
}

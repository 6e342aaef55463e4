import type { ExecutionState } from '@svc/core/execution/state';
import type { WireEndpoint } from '../wire-endpoint.ts';

interface Executions {
  /** Whether one of its executions runs; undefined: more run than were read. */
  readonly isRunning: boolean | undefined;
  /** The states of its last executions, the newest first. */
  readonly last: readonly ExecutionState[];
}

/** The state of an endpoint in the table: it runs, or it cannot run, or else how its last execution ended; undefined: it never ran. */
export function endpointState(
  { agent_status: agent }: Pick<WireEndpoint, 'agent_status'>,
  { isRunning, last }: Executions,
): ExecutionState | 'offline' | undefined {
  if (isRunning ?? last.includes('running')) return 'running';
  return agent === 'online' ? last[0] : 'offline';
}

import type { ExecutionState } from '@svc/core/execution/state';
import type { WireEndpoint } from '../wire-endpoint.ts';

/** The state of an endpoint in the table: it runs, or it cannot run, or else how its last execution ended; undefined: it never ran. */
export function endpointState(
  { agent_status: agent }: Pick<WireEndpoint, 'agent_status'>,
  { isRunning, last }: { readonly isRunning: boolean; readonly last: ExecutionState | undefined },
): ExecutionState | 'offline' | undefined {
  if (isRunning) return 'running';
  return agent === 'online' ? last : 'offline';
}

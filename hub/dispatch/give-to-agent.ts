import { rejectedBecause } from '@svc/core/execution/outcome';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { Running, RunningExecutions, Started } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';
import { type OrderValues, runOrder } from './run-order.ts';

type GivePorts = { readonly agents: AgentDirectory; readonly clock: Clock } & {
  readonly executions: RunningExecutions;
};

/** An execution that is on record as running, and what its agent needs besides. */
export interface Given {
  readonly execution: Started;
  readonly values: OrderValues;
  /** Of an endpoint that its agent does not have in a file of its own. */
  readonly definition: string | undefined;
}

const GONE = rejectedBecause('agent_offline', 'agent_offline', 'the agent went offline before it was told');

/** Takes it up and tells its agent to run it. One that has gone meanwhile ran nothing of it. */
export function giveToAgent(
  { agents, clock, executions }: GivePorts,
  process: AgentProcess,
  { execution, values, definition }: Given,
): Running {
  const running = executions.take(execution, definition);
  if (!agents.run(process, runOrder(execution, values, definition)))
    running.live.finish(GONE, clock.nowMs(), 'refund');
  return running;
}

import { addressOf, type Running } from '../live/running-executions.ts';
import type { Ports } from '../ports.ts';

/** Asks the agent to end it; that it has ended is what the agent tells (decision 18). */
export function cancelExecution(
  { agents }: Pick<Ports, 'agents'>,
  { execution }: Pick<Running, 'execution'>,
): void {
  const address = addressOf(execution);
  if (address !== undefined) agents.cancel(address, execution.id);
}

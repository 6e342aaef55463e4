import { untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import type { ExecutionLedger } from './execution-ports.ts';
import type { RunningExecutions } from './live/running-executions.ts';

type ErasePorts = { readonly ledger: ExecutionLedger; readonly clock: Clock } & {
  readonly executions: RunningExecutions;
};

/** Erases the secret arguments of an execution whose agent has the order: it is never dispatched again (decision 9, values). */
export async function eraseArgs(
  { ledger, clock, executions }: ErasePorts,
  executionId: string,
): Promise<void> {
  const running = executions.find(executionId);
  // Storing the end erases them too.
  if (running?.execution.sealedArgs === undefined || running.live.isFinishing) return;
  await untilAnswered(clock, () => ledger.eraseSealedArgs(executionId));
}

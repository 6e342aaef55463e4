import type { ApprovalCloser } from '@svc/core/approval/approval';
import { hasEnded } from '@svc/core/execution/state';
import type { AgentDirectory } from '../../agents/directory-ports.ts';
import { cancelExecution } from '../../approvals/cancel-execution.ts';
import type { ExecutionQueue } from '../../dispatch/queue.ts';
import type { StepExecution } from '../../executions/execution-ports.ts';
import type { RunningExecutions } from '../../executions/live/running-executions.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { PreparedStep } from './prepare-step.ts';
import type { PipelineRuns } from './store/run-store.ts';

export type ActDeps = { readonly clock: Clock; readonly agents: AgentDirectory } & {
  readonly runs: PipelineRuns;
} & Parameters<typeof cancelExecution>[0] & {
    readonly executions: RunningExecutions;
    readonly queue: Pick<ExecutionQueue, 'add'>;
    readonly reportBug: (error: unknown) => unknown;
  };

const ITS_RUN: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its pipeline run' };

/** Dispatches a step whose turn is stored: it is sent to its agent, or waits in the queue, or for approval. */
export function dispatchStep(deps: ActDeps, { start: { execution }, begun, slot }: PreparedStep): void {
  if (execution.state === 'queued') deps.queue.add(execution).catch(deps.reportBug);
  if (begun !== undefined) slot?.send(begun);
  slot?.release();
}

/** Cancels the execution of an attempt at a step unless it has ended; undefined: there is no execution. */
export async function endStep(
  deps: ActDeps,
  runId: string,
  { step, attempt }: { readonly step: string; readonly attempt: number },
): Promise<StepExecution | undefined> {
  const find = async () =>
    (await deps.runs.executions(runId, step)).find((one) => one.step.attempt === attempt);
  const execution = await untilAnswered(deps.clock, find);
  if (execution === undefined || hasEnded(execution.state)) return execution;
  await untilAnswered(deps.clock, () => cancelExecution(deps, execution, ITS_RUN));
  return await untilAnswered(deps.clock, find);
}

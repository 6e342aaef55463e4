import type { ApprovalCloser } from '@svc/core/approval/approval';
import { hasEnded } from '@svc/core/execution/state';
import type { AgentDirectory } from '../../agents/directory-ports.ts';
import { cancelExecution } from '../../approvals/cancel-execution.ts';
import { giveToAgent } from '../../dispatch/give-to-agent.ts';
import type { ExecutionQueue } from '../../dispatch/queue.ts';
import type { StepExecution } from '../../executions/execution-ports.ts';
import type { RunningExecutions } from '../../executions/live/running-executions.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { PreparedStep } from './prepare-step.ts';
import type { PipelineRuns } from './store/run-store.ts';

export type ActPorts = { readonly clock: Clock; readonly agents: AgentDirectory } & {
  readonly runs: PipelineRuns;
} & Parameters<typeof cancelExecution>[0] & {
    readonly executions: RunningExecutions;
    readonly queue: Pick<ExecutionQueue, 'add'>;
    readonly reportBug: (error: unknown) => unknown;
  };

const ITS_RUN: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its pipeline run' };

/** Starts a stored step on its agent. */
export function giveStep(ports: ActPorts, { start: { execution }, dispatch, giveBack }: PreparedStep): void {
  if (execution.state === 'queued') ports.queue.add(execution).catch(ports.reportBug);
  if (dispatch === undefined) return;
  const { process, values, definition } = dispatch;
  giveToAgent(ports, process, { execution, values, definition });
  giveBack();
}

/** Cancels the execution of an attempt at a step unless it has ended; undefined: there is no execution. */
export async function endStep(
  ports: ActPorts,
  runId: string,
  { step, attempt }: { readonly step: string; readonly attempt: number },
): Promise<StepExecution | undefined> {
  const find = async () =>
    (await ports.runs.executions(runId, step)).find((one) => one.step.attempt === attempt);
  const execution = await untilAnswered(ports.clock, find);
  if (execution === undefined || hasEnded(execution.state)) return execution;
  await untilAnswered(ports.clock, () => cancelExecution(ports, execution, ITS_RUN));
  return await untilAnswered(ports.clock, find);
}

import type { ApprovalCloser } from '@svc/core/approval/approval';
import { hasEnded } from '@svc/core/execution/state';
import { cancelExecution } from '../execution/cancel-execution.ts';
import { giveToAgent } from '../execution/give-to-agent.ts';
import type { ExecutionQueue } from '../execution/queue.ts';
import type { RunningExecutions } from '../live/running-executions.ts';
import type { StepExecution } from '../ports/executions.ts';
import type { PipelineRunPorts } from '../ports/pipeline-runs.ts';
import type { Ports } from '../ports.ts';
import { untilAnswered } from '../until-answered.ts';
import type { PreparedStep } from './prepare-step.ts';

export type ActPorts = Pick<Ports, 'clock' | 'agents'> &
  PipelineRunPorts &
  Parameters<typeof cancelExecution>[0] & {
    readonly executions: RunningExecutions;
    readonly queue: Pick<ExecutionQueue, 'add'>;
    readonly reportBug: (error: unknown) => unknown;
  };

const ITS_RUN: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its pipeline run' };

/** Gives a step that is on record to whoever is to run it. */
export function giveStep(ports: ActPorts, { start: { execution }, dispatch, giveBack }: PreparedStep): void {
  if (execution.state === 'queued') ports.queue.add(execution).catch(ports.reportBug);
  if (dispatch === undefined) return;
  const { process, values, definition } = dispatch;
  giveToAgent(ports, process, { execution, values, definition });
  giveBack();
}

/** The execution of an attempt at a step, told to end where it has not; undefined: there never was one. */
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

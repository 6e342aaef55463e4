import type { PipelineRun } from '../../engine/ports/pipeline-runs.ts';
import { heldBody } from '../call/answer-held.ts';
import type { HubContext } from '../context.ts';

/** What a run waits for, where nothing goes on but approvals: as each of these calls would be answered (reference 4.5). */
export async function waitingSteps(context: HubContext, { id, head }: Pick<PipelineRun, 'id' | 'head'>) {
  if (head.state !== 'waiting_approval') return {};
  const executions = await context.runs.executions(id);
  const held = executions.filter(({ state }) => state === 'pending_approval');
  const approvals = await Promise.all(
    held.map(async ({ id: executionId, step }) => {
      const approval = await context.approvals.ofExecution(executionId);
      return approval === undefined ? [] : [{ step: step.id, ...heldBody(context, approval) }];
    }),
  );
  return { approvals: approvals.flat() };
}

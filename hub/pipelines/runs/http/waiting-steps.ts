import type { LinkTokens } from '../../../accounts/link-token.ts';
import type { Approvals } from '../../../approvals/approval-ports.ts';
import { pendingBody } from '../../../calls/answer-pending.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { Clock } from '../../../platform/world.ts';
import type { PipelineRun } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';

export interface WaitingStepsDeps {
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
}

/** The pending approvals of a run that waits only for them, in the form of responses to such calls (reference 4.5). */
export async function waitingSteps(deps: WaitingStepsDeps, { id, head }: Pick<PipelineRun, 'id' | 'head'>) {
  if (head.state !== 'waiting_approval') return {};
  const executions = await deps.runs.executions(id);
  const held = executions.filter(({ state }) => state === 'pending_approval');
  const approvals = await Promise.all(
    held.map(async ({ id: executionId, step }) => {
      const approval = await deps.approvals.ofExecution(executionId);
      return approval === undefined ? [] : [{ step: step.id, ...pendingBody(deps, approval) }];
    }),
  );
  return { approvals: approvals.flat() };
}

import type { Approval, ApprovalState } from '@svc/core/approval/approval';
import type { EventExecution, EventRun, HubEventOf } from '@svc/core/event/hub-event';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import { changeEvent, type LiveEvent } from '@svc/core/live-event/live-event';
import type { RunHead } from '@svc/core/pipeline/run/state';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { EventFeeds } from './event-feeds.ts';

/** Publishes the events of this hub to dashboards, after their commit. */
export function publishLiveEvents(
  stream: EventStream,
  feeds: EventFeeds,
  ledger: Pick<ExecutionLedger, 'find'>,
  reportBug: (error: unknown) => unknown,
): void {
  stream.subscribe('execution_accepted', ({ execution }) =>
    publishExecution(feeds, execution, execution.state, execution.reason),
  );
  stream.subscribe('execution_started', ({ execution }) => publishExecution(feeds, execution, 'running'));
  stream.subscribe('execution_ended', ({ execution, ended: { state, reason } }) =>
    publishExecution(feeds, execution, state, reason),
  );
  stream.subscribe('execution_withdrawn', (event) => {
    publishWithdrawn(feeds, ledger, event).catch(reportBug);
  });
  stream.subscribe('approval_opened', ({ approval }) => publishApproval(feeds, approval, 'pending'));
  stream.subscribe('approval_closed', ({ approval, approvalState, state, reason }) => {
    const { executionId: id, workspaceId, slug } = approval;
    publishExecution(feeds, { id, workspaceId, slug, trigger: undefined }, state, reason);
    publishApproval(feeds, approval, approvalState);
  });
  stream.subscribe('schedule_fired', ({ missed, start }) => {
    for (const execution of missed) publishExecution(feeds, execution, execution.state, execution.reason);
    if (start !== undefined) publishExecution(feeds, start, start.state, start.reason);
  });
  stream.subscribe('run_started', ({ run, head }) => publishRun(feeds, run, head));
  stream.subscribe('run_changed', (event) => publishRunChange(feeds, event));
  stream.subscribe(['agent_connected', 'agent_gone'], ({ kind, workspaceId, agentName }) =>
    feeds.publish(workspaceId, { kind: 'agent', agentName, isConnected: kind === 'agent_connected' }),
  );
  stream.subscribe('quota_crossed', ({ workspaceId, percent, used, period }) =>
    feeds.publish(workspaceId, { kind: 'quota', percent, used, period }),
  );
  stream.subscribe('audit_appended', ({ entry }) =>
    feeds.publish(entry.workspaceId, () => changeEvent(entry)),
  );
}

type ShownExecution = Pick<EventExecution, 'id' | 'workspaceId' | 'slug'> & {
  readonly trigger: EventExecution['trigger'] | undefined;
};

function publishExecution(
  feeds: EventFeeds,
  { id: executionId, workspaceId, slug, trigger: known }: ShownExecution,
  state: ExecutionState,
  reason?: Reason,
): void {
  // A hub of the version before knows no list in the live events that it gets from this one.
  const trigger = known === 'choices' ? undefined : known;
  feeds.publish(workspaceId, () => ({ kind: 'execution', executionId, slug, state, reason, trigger }));
}

/**
 * The event contains only the id, so the row is read if a dashboard is open. A live event that cannot be read is skipped.
 */
async function publishWithdrawn(
  feeds: EventFeeds,
  ledger: Pick<ExecutionLedger, 'find'>,
  { executionId, workspaceId }: HubEventOf<'execution_withdrawn'>,
): Promise<void> {
  if (workspaceId === undefined || !feeds.hasListener(workspaceId)) return;
  const execution = await ledger.find(executionId).catch(() => undefined);
  if (execution !== undefined) publishExecution(feeds, execution, execution.state, execution.reason);
}

function publishApproval(
  feeds: EventFeeds,
  { id: approvalId, workspaceId, executionId, slug }: Approval,
  state: ApprovalState,
): void {
  feeds.publish(workspaceId, () => ({ kind: 'approval', approvalId, executionId, slug, state }));
}

function publishRun(feeds: EventFeeds, { id: runId, workspaceId, slug }: EventRun, { state }: RunHead): void {
  feeds.publish(workspaceId, () => ({ kind: 'pipeline_run', runId, slug, state }));
}

/** The nodes come before the run, so that a reader who sees the run's end has all nodes. */
function publishRunChange(feeds: EventFeeds, { run, head, nodes, steps }: HubEventOf<'run_changed'>): void {
  if (!feeds.hasListener(run.workspaceId)) return;
  const begun = new Map(steps.map(({ step, id }) => [step.id, id]));
  for (const { id: nodeId, state } of nodes) {
    const node: LiveEvent = {
      kind: 'pipeline_node',
      runId: run.id,
      nodeId,
      state,
      executionId: begun.get(nodeId),
    };
    feeds.publish(run.workspaceId, node);
  }
  publishRun(feeds, run, head);
  for (const step of steps) publishExecution(feeds, step, step.state, step.reason);
}

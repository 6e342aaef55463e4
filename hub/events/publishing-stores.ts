import type { Approval, ApprovalState } from '@svc/core/approval/approval';
import type { LiveEvent } from '@svc/core/live-event/live-event';
import type { RunHead } from '@svc/core/pipeline/run/state';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { QuotaMarks } from '../alerts/store/quota-marks.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import type { PipelineRun } from '../pipelines/runs/run-ports.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import { overriding } from '../platform/overriding.ts';
import type { Schedules } from '../schedules/schedule-ports.ts';
import type { EventFeeds } from './event-feeds.ts';

/** The ports whose changes dashboards hear of. */
interface Told {
  readonly ledger: ExecutionLedger;
  readonly approvals: Approvals;
  readonly schedules: Schedules;
  readonly knownAgents: KnownAgents;
  readonly runs: PipelineRuns;
}

type ToldExecution = Pick<Execution, 'id' | 'workspaceId' | 'slug' | 'state' | 'reason'> & {
  readonly trigger: Execution['trigger'] | undefined;
};

/** Tells of an execution that it came to be, or that its state is another now. */
export function tellExecution(eventFeeds: EventFeeds, execution: ToldExecution): void {
  const { id, workspaceId, slug, state, reason, trigger } = execution;
  eventFeeds.tell(workspaceId, () => ({
    kind: 'execution',
    executionId: id,
    slug,
    state,
    reason,
    trigger,
  }));
}

/**
 * The same ports, which tell of each change after its commit. How a running execution ends is told where its row is at hand,
 * by whoever observes what runs; who changes something by hand, by its entry in the audit log.
 */
export function telling(eventFeeds: EventFeeds, ports: Told): Told {
  return {
    ledger: tellingLedger(eventFeeds, ports.ledger),
    approvals: tellingApprovals(eventFeeds, ports.approvals),
    schedules: tellingSchedules(eventFeeds, ports.schedules),
    knownAgents: tellingAgents(eventFeeds, ports.knownAgents),
    runs: tellingRuns(eventFeeds, ports.runs),
  };
}

/** A workspace that has used a share of its month. */
export function tellingQuotas(eventFeeds: EventFeeds, quotaMarks: QuotaMarks): QuotaMarks {
  return overriding(quotaMarks, {
    async mark(crossing, percent, event) {
      const isFirst = await quotaMarks.mark(crossing, percent, event);
      const { workspaceId, used, period } = crossing;
      if (isFirst) eventFeeds.tell(workspaceId, { kind: 'quota', percent, used, period });
      return isFirst;
    },
  });
}

function tellingLedger(eventFeeds: EventFeeds, ledger: ExecutionLedger): ExecutionLedger {
  return overriding(ledger, {
    async accept(execution, quota, idempotency) {
      const acceptance = await ledger.accept(execution, quota, idempotency);
      if (acceptance.kind === 'stored') tellExecution(eventFeeds, execution);
      return acceptance;
    },
    async finishQueued(finish, refund) {
      const isStored = await ledger.finishQueued(finish, refund);
      if (!isStored || refund === undefined || !eventFeeds.isHeard(refund.workspaceId)) return isStored;
      const execution = await ledger.find(finish.executionId).catch(() => undefined);
      if (execution !== undefined) tellExecution(eventFeeds, execution);
      return isStored;
    },
  });
}

function tellingApprovals(eventFeeds: EventFeeds, approvals: Approvals): Approvals {
  return overriding(approvals, {
    async hold(held, idempotency) {
      const acceptance = await approvals.hold(held, idempotency);
      if (acceptance.kind !== 'stored') return acceptance;
      tellExecution(eventFeeds, held.execution);
      eventFeeds.tell(held.execution.workspaceId, () => approvalNews(held.approval, 'pending'));
      return acceptance;
    },
    async close(approval, closing, end, along) {
      const outcome = await approvals.close(approval, closing, end, along);
      if (outcome !== 'stored') return outcome;
      const { executionId: id, workspaceId, slug } = approval;
      const reason = end.state === 'queued' ? undefined : end.reason;
      const { state } = end;
      tellExecution(eventFeeds, { id, workspaceId, slug, state, reason, trigger: undefined });
      eventFeeds.tell(workspaceId, () => approvalNews(approval, closing.state));
      return outcome;
    },
  });
}

function approvalNews({ id, executionId, slug }: Approval, state: ApprovalState): LiveEvent {
  return { kind: 'approval', approvalId: id, executionId, slug, state };
}

function tellingSchedules(eventFeeds: EventFeeds, schedules: Schedules): Schedules {
  return overriding(schedules, {
    async record(schedule, fires) {
      const outcome = await schedules.record(schedule, fires);
      if (outcome !== 'stored' || !eventFeeds.isHeard(schedule.workspaceId)) return outcome;
      for (const { execution, ended } of fires.missed)
        tellExecution(eventFeeds, { ...execution, state: ended.state, reason: ended.reason });
      if (fires.start !== undefined) {
        const { execution, approval } = fires.start;
        tellExecution(eventFeeds, execution);
        if (approval !== undefined) eventFeeds.tell(approval.workspaceId, approvalNews(approval, 'pending'));
      }
      return outcome;
    },
  });
}

function tellingAgents(eventFeeds: EventFeeds, agents: KnownAgents): KnownAgents {
  const tell = (workspaceId: string, agentName: string, isConnected: boolean) =>
    eventFeeds.tell(workspaceId, { kind: 'agent', agentName, isConnected });
  return overriding(agents, {
    async connected(process, host, at) {
      await agents.connected(process, host, at);
      tell(process.workspaceId, process.name, true);
    },
    async gone(address, at) {
      await agents.gone(address, at);
      tell(address.workspaceId, address.name, false);
    },
  });
}

function tellingRuns(eventFeeds: EventFeeds, runs: PipelineRuns): PipelineRuns {
  return overriding(runs, {
    async start(run, state, parts) {
      const outcome = await runs.start(run, state, parts);
      if (outcome.kind === 'stored') tellRun(eventFeeds, run, state.head);
      return outcome;
    },
    async change(run, fromRevision, change, along) {
      const outcome = await runs.change(run, fromRevision, change, along);
      if (outcome !== 'stored' || !eventFeeds.isHeard(run.workspaceId)) return outcome;
      const begun = new Map(along.steps.map(({ execution }) => [execution.step.id, execution.id]));
      for (const { id: nodeId, state } of change.nodes) {
        const executionId = begun.get(nodeId);
        eventFeeds.tell(run.workspaceId, {
          kind: 'pipeline_node',
          runId: run.id,
          nodeId,
          state,
          executionId,
        });
      }
      // After its nodes: whoever hears of its end has heard of theirs.
      tellRun(eventFeeds, run, change.head);
      for (const { execution, approval } of along.steps) {
        tellExecution(eventFeeds, execution);
        if (approval !== undefined) eventFeeds.tell(run.workspaceId, approvalNews(approval, 'pending'));
      }
      return outcome;
    },
  });
}

type ToldRun = Pick<PipelineRun, 'id' | 'workspaceId' | 'slug'>;

function tellRun(
  eventFeeds: EventFeeds,
  { id: runId, workspaceId, slug }: ToldRun,
  { state }: RunHead,
): void {
  eventFeeds.tell(workspaceId, () => ({ kind: 'pipeline_run', runId, slug, state }));
}

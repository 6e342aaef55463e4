import type { GraphNode } from '@svc/core/pipeline/run/graph';
import { runOutcome } from '@svc/core/pipeline/run/run-outcome';
import { hasRunEnded, type NodeRecord } from '@svc/core/pipeline/run/state';
import type { Approvals } from '../../../approvals/approval-ports.ts';
import type { StepExecution } from '../../../executions/execution-ports.ts';
import { executionLinks } from '../../../executions/http/links.ts';
import { time } from '../../../platform/http/time.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { Vault } from '../../../platform/world.ts';
import type { Pipelines } from '../../store/pipeline-store.ts';
import type { Graphs } from '../read-graph.ts';
import { readGraph } from '../read-graph.ts';
import { shownInput } from '../run-input.ts';
import type { PipelineRun } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';
import type { RunLinks } from './run-links.ts';

export interface DescribeRunDeps {
  readonly approvals: Approvals;
  readonly graphs: Graphs;
  readonly pipelines: Pipelines;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
  readonly vault: Vault;
}

/** A run in a list. */
export function describeRun(run: PipelineRun, { statusUrl, streamUrl }: RunLinks) {
  const { id, slug, pipelineVersion, trigger, rerunOf, head, cancelAskedAtMs, createdAtMs } = run;
  const { endedAtMs } = head;
  return {
    run_id: id,
    pipeline: slug,
    version: pipelineVersion,
    status: head.state,
    trigger,
    rerun_of: rerunOf,
    stopped_by: head.stoppedBy,
    cancel_asked_at: time(cancelAskedAtMs) ?? undefined,
    created_at: time(createdAtMs),
    started_at: time(head.startedAtMs),
    ended_at: time(endedAtMs),
    duration_ms: endedAtMs === undefined ? undefined : Math.max(0, endedAtMs - createdAtMs),
    status_url: statusUrl,
    stream_url: streamUrl,
  };
}

/** A complete run: the result of each node, and each attempt at a step. */
export async function describeWholeRun(
  deps: DescribeRunDeps,
  run: PipelineRun,
  links: RunLinks,
  readToken: string | undefined,
) {
  const [graph, nodes, executions, input] = await Promise.all([
    readGraph(deps, run),
    deps.runs.nodes(run.id),
    deps.runs.executions(run.id),
    deps.runs.input(run.id),
  ]);
  const byStep = Map.groupBy(executions, ({ step }) => step.id);
  const byId = new Map(nodes.map((record) => [record.id, record]));
  const approvals = await pendingApprovals(deps, executions);
  const ids = graph === undefined ? [...byId.keys()] : [...graph.nodes.keys()];
  return {
    ...describeRun(run, links),
    ...outcome(run, byId),
    input: input && shownInput(deps.vault, run, input),
    nodes: ids.flatMap((id) => {
      const record = byId.get(id);
      if (record === undefined) return [];
      const attempts = (byStep.get(id) ?? []).map((execution) =>
        describeAttempt(deps, execution, approvals.get(execution.id), readToken),
      );
      return [{ ...describeNode(record, graph?.nodes.get(id)), attempts }];
    }),
  };
}

function outcome({ head }: PipelineRun, nodes: ReadonlyMap<string, NodeRecord>) {
  if (!hasRunEnded(head)) return {};
  const ended = runOutcome(head, nodes.get(head.stoppedBy ?? ''));
  return ended.kind === 'result' ? { exit_code: ended.exitCode } : { error: ended.error };
}

function describeNode(record: NodeRecord, node: GraphNode | undefined) {
  const { id, state, attempt, outcome: how, result, error, holds, carried } = record;
  return {
    node: id,
    kind: node?.kind,
    endpoint: node?.kind === 'step' ? node.step.endpoint : undefined,
    status: state,
    attempt,
    outcome: how,
    exit_code: result?.exitCode,
    error,
    holds,
    carried: carried === undefined ? undefined : (true as const),
    retry_at: time(record.retryAtMs) ?? undefined,
    started_at: time(record.startedAtMs),
    ended_at: time(record.endedAtMs),
  };
}

function describeAttempt(
  { settings }: DescribeRunDeps,
  execution: StepExecution,
  approvalId: string | undefined,
  readToken: string | undefined,
) {
  const { id, step, state, exitCode, error, errorCode, agentName, createdAtMs } = execution;
  const links = executionLinks(settings.baseUrl, id, readToken);
  return {
    attempt: step.attempt,
    execution_id: id,
    status: state,
    exit_code: exitCode,
    error,
    code: errorCode,
    agent_name: agentName ?? null,
    approval_id: approvalId,
    created_at: time(createdAtMs),
    started_at: time(execution.startedAtMs),
    ended_at: time(execution.endedAtMs),
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
    output_url: links.outputUrl,
  };
}

/** The pending approvals by execution. */
async function pendingApprovals({ approvals }: DescribeRunDeps, executions: readonly StepExecution[]) {
  const held = executions.filter(({ state }) => state === 'pending_approval');
  const found = await Promise.all(held.map(({ id }) => approvals.ofExecution(id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.executionId, one.id] as const])));
}

import type { GraphNode } from '@svc/core/pipeline/run/graph';
import { runOutcome } from '@svc/core/pipeline/run/run-outcome';
import { hasRunEnded, type NodeRecord } from '@svc/core/pipeline/run/state';
import { readGraph } from '../../engine/pipeline/read-graph.ts';
import { shownInput } from '../../engine/pipeline/run-input.ts';
import type { StepExecution } from '../../engine/ports/executions.ts';
import type { PipelineRun } from '../../engine/ports/pipeline-runs.ts';
import type { HubContext } from '../context.ts';
import { executionLinks } from '../execution/links.ts';
import { time } from '../time.ts';
import type { RunLinks } from './run-links.ts';

/** A run as it is listed. */
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

/** All that is known of it: what each node came to, and each try of a step. */
export async function describeWholeRun(
  context: HubContext,
  run: PipelineRun,
  links: RunLinks,
  readToken: string | undefined,
) {
  const [graph, nodes, executions, input] = await Promise.all([
    readGraph(context, run),
    context.runs.nodes(run.id),
    context.runs.executions(run.id),
    context.runs.input(run.id),
  ]);
  const byStep = Map.groupBy(executions, ({ step }) => step.id);
  const byId = new Map(nodes.map((record) => [record.id, record]));
  const approvals = await pendingApprovals(context, executions);
  const ids = graph === undefined ? [...byId.keys()] : [...graph.nodes.keys()];
  return {
    ...describeRun(run, links),
    ...outcome(run, byId),
    input: input && shownInput(context.vault, run, input),
    nodes: ids.flatMap((id) => {
      const record = byId.get(id);
      if (record === undefined) return [];
      const attempts = (byStep.get(id) ?? []).map((execution) =>
        describeAttempt(context, execution, approvals.get(execution.id), readToken),
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
  { settings }: HubContext,
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

/** By execution; of those that wait for a person. */
async function pendingApprovals({ approvals }: HubContext, executions: readonly StepExecution[]) {
  const held = executions.filter(({ state }) => state === 'pending_approval');
  const found = await Promise.all(held.map(({ id }) => approvals.ofExecution(id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.executionId, one.id] as const])));
}

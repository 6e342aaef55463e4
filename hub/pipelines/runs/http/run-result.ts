import { resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { runFailureCode, runOutcome } from '@svc/core/pipeline/run/run-outcome';
import type { NodeRecord } from '@svc/core/pipeline/run/state';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import { CollectedOutput } from '../../../executions/collected-output.ts';
import type { ExecutionLedger, StepExecution } from '../../../executions/execution-ports.ts';
import { executionLinks } from '../../../executions/http/links.ts';
import { isResultPiece, storedOutput } from '../../../executions/stored-output.ts';
import { jsonResponse } from '../../../platform/http/json-response.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { Pipelines } from '../../store/pipeline-store.ts';
import type { Graphs } from '../read-graph.ts';
import { readGraph } from '../read-graph.ts';
import type { PipelineRun } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';
import type { RunLinks } from './run-links.ts';

export interface RunResultDeps {
  readonly graphs: Graphs;
  readonly ledger: ExecutionLedger;
  readonly pipelines: Pipelines;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
}

/** The JSON of an ended run with the result of each step. Throws the refusal of a step without an exit code. */
export async function resultResponse(
  deps: RunResultDeps,
  run: PipelineRun,
  { statusUrl }: RunLinks,
  failStatus: boolean,
): Promise<Response> {
  const { id, head } = run;
  const nodes = new Map((await deps.runs.nodes(id)).map((record) => [record.id, record]));
  const outcome = runOutcome(head, nodes.get(head.stoppedBy ?? ''));
  if (outcome.kind === 'failure') {
    const { step, error } = outcome;
    const details = { run_id: id, status: head.state, step, status_url: statusUrl };
    throw refuse(runFailureCode(head), error, details);
  }
  const steps = await stepResults(deps, run, nodes);
  const top = {
    run_id: id,
    status: head.state,
    exit_code: outcome.exitCode,
    duration_ms: Math.max(0, (head.endedAtMs ?? run.createdAtMs) - run.createdAtMs),
  };
  // The JSON of a transform is inserted verbatim, so that its numbers keep their digits.
  const json = `${JSON.stringify(top).slice(0, -1)},"steps":[${steps.join(',')}]}`;
  return jsonResponse(json, resultStatus(outcome.exitCode, failStatus), {
    'X-Run-Id': id,
    ...resultHeaders(outcome.exitCode, failStatus),
  });
}

/** The JSON of each step, in the order of the definition. Their outputs share the size limit of a response. */
async function stepResults(
  deps: RunResultDeps,
  run: PipelineRun,
  nodes: ReadonlyMap<string, NodeRecord>,
): Promise<string[]> {
  const graph = await readGraph(deps, run);
  const last = new Map((await deps.runs.executions(run.id)).map((one) => [one.step.id, one]));
  let room: number = LIMITS.bufferedOutputBytes;
  const results: string[] = [];
  for (const node of graph?.nodes.values() ?? []) {
    const record = nodes.get(node.id);
    if (node.kind !== 'step' || record === undefined) continue;
    const { json, bytes } = await stepResult(deps, record, last.get(node.id), room);
    room -= bytes;
    results.push(json);
  }
  return results;
}

async function stepResult(
  deps: RunResultDeps,
  record: NodeRecord,
  execution: StepExecution | undefined,
  room: number,
): Promise<{ json: string; bytes: number }> {
  const { id, state, attempt, error, result } = record;
  const exitCode = execution?.exitCode ?? result?.exitCode;
  const head = { step: id, status: state, attempt, execution_id: execution?.id, exit_code: exitCode, error };
  const json = JSON.stringify(head).slice(0, -1);
  if (execution === undefined) return { json: `${json}}`, bytes: 0 };
  const { data } = execution;
  const dataBytes = Buffer.byteLength(data ?? '');
  if (data !== undefined && dataBytes <= room) return { json: `${json},"data":${data}}`, bytes: dataBytes };
  const output = new CollectedOutput(data === undefined ? room : 0);
  for await (const chunk of storedOutput(deps.ledger, execution.id, 0)) {
    if (!isResultPiece(chunk)) output.add(chunk);
    if (output.isTruncated) break;
  }
  const { text, isTruncated } = output;
  const { outputUrl } = executionLinks(deps.settings.baseUrl, execution.id);
  const rest = isTruncated || data !== undefined ? { truncated: true, output_url: outputUrl } : {};
  const more = JSON.stringify({ output: text, ...rest }).slice(1);
  return { json: `${json},${more}`, bytes: Buffer.byteLength(text) };
}

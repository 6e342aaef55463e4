import type { AnswerFormat } from '@svc/core/api/answer-format';
import { resultHeaders, resultStatus, UNFINISHED_STATUS } from '@svc/core/api/fail-status';
import type { Preference } from '@svc/core/api/prefer';
import { runFailureCode, runOutcome } from '@svc/core/pipeline/run/run-outcome';
import { hasRunEnded, type NodeRecord } from '@svc/core/pipeline/run/state';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import type { LinkTokens } from '../../../accounts/link-token.ts';
import type { Approvals } from '../../../approvals/approval-ports.ts';
import { pendingBody } from '../../../calls/answer-call.ts';
import type { ExecutionLedger, StepExecution } from '../../../executions/execution-ports.ts';
import { executionLinks } from '../../../executions/http/links.ts';
import { collectStored } from '../../../executions/stored-output.ts';
import { REVOKED, type Watch } from '../../../http/watch-caller.ts';
import { jsonResponse } from '../../../platform/http/json-response.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { Clock } from '../../../platform/world.ts';
import type { Pipelines } from '../../store/pipeline-store.ts';
import { followHead } from '../follow-run.ts';
import { type Graphs, readGraph } from '../read-graph.ts';
import type { PipelineRun } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';
import { acceptedRun, type RunLinks, runLinks } from './run-links.ts';
import { type RunStreamDeps, runStream } from './run-stream.ts';

export interface AnswerRunDeps extends RunStreamDeps, WaitingStepsDeps {
  readonly keepOpen: (request: Request) => void;
}

export interface RunAnswerOptions {
  readonly request: Request;
  readonly prefer: Preference;
  /** For an anonymous caller. */
  readonly readToken: string | undefined;
  readonly format: AnswerFormat;
  /** An answer other than the result of exit code 0 has an error status (decision 17, exit codes and failures). */
  readonly failStatus: boolean;
  /** The sender times out within seconds and only needs to know that the run is stored. */
  readonly isFromSender: boolean;
  /** The client would reconnect by itself (decision 22, eventSource). */
  readonly isEventSource: boolean;
  /** Undefined: the caller needs no credential. */
  readonly watch: Watch | undefined;
}

/**
 * Responds to a call with its run, in the requested form (decision 43, calling a pipeline). The run continues when the caller
 * disconnects.
 */
export async function answerRun(
  deps: AnswerRunDeps,
  run: PipelineRun,
  options: RunAnswerOptions,
): Promise<Response> {
  const { prefer, format, readToken, request } = options;
  const links = runLinks(deps, run.id, readToken);
  if (prefer.respondAsync)
    return acceptedRun(run, links, { headers: { 'Preference-Applied': 'respond-async' } });
  if (options.isFromSender) return acceptedRun(run, links);
  deps.keepOpen(request);
  return format === 'buffered'
    ? await answerBuffered(deps, run, links, options)
    : await answerEvents(deps, run, links, options);
}

const UNFINISHED = {
  status: UNFINISHED_STATUS,
  headers: { 'Preference-Applied': 'fail-status' },
} as const;

/** When the response ends while the run continues (decision 19, the cap on a response). */
function capSec({ settings }: AnswerRunDeps, { prefer }: RunAnswerOptions): number {
  return Math.min(settings.forwardCapSec, prefer.waitSec ?? Number.POSITIVE_INFINITY);
}

async function answerEvents(
  deps: AnswerRunDeps,
  run: PipelineRun,
  links: RunLinks,
  options: RunAnswerOptions,
): Promise<Response> {
  const { request, readToken, watch, isEventSource } = options;
  const sec = capSec(deps, options);
  const name = readToken === undefined ? run.id : `${run.id}.${readToken}`;
  const message = `the response ends after ${sec} s, the run continues: ${links.streamUrl} follows it`;
  return await runStream(deps, {
    request,
    run,
    statusUrl: links.statusUrl,
    headers: { 'X-Run-Id': run.id },
    ids: isEventSource ? { prefix: `${name}/`, first: name } : undefined,
    cap: { afterSec: sec, message },
    watch,
    onLeave: () => undefined,
  });
}

async function answerBuffered(
  deps: AnswerRunDeps,
  run: PipelineRun,
  links: RunLinks,
  options: RunAnswerOptions,
): Promise<Response> {
  const { clock } = deps;
  const { signal } = options.request;
  const following = followHead(deps, run.id);
  const stop = () => following.stop();
  signal.addEventListener('abort', stop, { once: true });
  const uncap = clock.at(clock.nowMs() + capSec(deps, options) * 1_000, stop);
  let isRevoked = false;
  const unwatch = options.watch?.(() => {
    isRevoked = true;
    stop();
  });
  try {
    let { head } = run;
    for await (head of following) {
      // An approval may take longer than any caller waits, so the response links to the pending approval.
      if (hasRunEnded(head) || head.state === 'waiting_approval') break;
    }
    if (isRevoked) throw refuse('unauthorized', REVOKED, { run_id: run.id });
    if (hasRunEnded(head)) return await resultResponse(deps, { ...run, head }, links, options.failStatus);
    return acceptedRun({ ...run, head }, links, {
      body: await waitingSteps(deps, { ...run, head }),
      ...(options.failStatus ? UNFINISHED : {}),
    });
  } finally {
    uncap();
    unwatch?.();
    stop();
    signal.removeEventListener('abort', stop);
  }
}

interface WaitingStepsDeps {
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
}

/** The pending approvals of a run that waits only for them, in the form of responses to such calls (reference 4.5). */
async function waitingSteps(deps: WaitingStepsDeps, { id, head }: Pick<PipelineRun, 'id' | 'head'>) {
  if (head.state !== 'waiting_approval') return {};
  const executions = await deps.runs.executions(id);
  const pending = executions.filter(({ state }) => state === 'pending_approval');
  const approvals = await Promise.all(
    pending.map(async ({ id: executionId, step }) => {
      const approval = await deps.approvals.ofExecution(executionId);
      return approval === undefined ? [] : [{ step: step.id, ...pendingBody(deps, approval) }];
    }),
  );
  return { approvals: approvals.flat() };
}

interface RunResultDeps {
  readonly graphs: Graphs;
  readonly ledger: ExecutionLedger;
  readonly pipelines: Pipelines;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
}

/** The JSON of an ended run with the result of each step. Throws the refusal of a step without an exit code. */
async function resultResponse(
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
  const limit = data === undefined ? room : 0;
  const { text, isTruncated } = await collectStored(deps.ledger, execution.id, limit);
  const { outputUrl } = executionLinks(deps.settings.baseUrl, execution.id);
  const rest = isTruncated || data !== undefined ? { truncated: true, output_url: outputUrl } : {};
  const more = JSON.stringify({ output: text, ...rest }).slice(1);
  return { json: `${json},${more}`, bytes: Buffer.byteLength(text) };
}

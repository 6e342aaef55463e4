import { accessToControl } from '@svc/core/execution/access';
import {
  dataText,
  RUN_META,
  type ToolResult,
  textResult,
  WITHOUT_PROGRESS_MS,
} from '@svc/core/mcp/call-result';
import { ProgressReports } from '@svc/core/mcp/progress';
import { TailOutput } from '@svc/core/mcp/tail';
import type { McpTool } from '@svc/core/mcp/tool';
import type { JsonValue } from '@svc/core/pipeline/reference/json-value';
import { runOutcome } from '@svc/core/pipeline/run/run-outcome';
import { hasRunEnded, isDone, type NodeRecord } from '@svc/core/pipeline/run/state';
import { Refusal, refuse } from '@svc/core/refusal';
import { approveUrl } from '../approvals/approval-events.ts';
import { limitRate } from '../calls/access.ts';
import { refuseUsedUp } from '../executions/quota-claim.ts';
import { isResultPiece, plainText, storedOutput } from '../executions/stored-output.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import { cancelRun } from '../pipelines/runs/cancel-run.ts';
import { followRun } from '../pipelines/runs/follow-run.ts';
import { seesSteps } from '../pipelines/runs/http/visible-run.ts';
import type { PipelineRun } from '../pipelines/runs/run-ports.ts';
import { startRun } from '../pipelines/runs/start-run.ts';
import { checkedInput } from '../pipelines/webhook/read-input.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import type { Visit } from './visit.ts';

/** A pipeline that an agent may start, with its tool. */
export interface PipelineTarget {
  readonly registered: RegisteredPipeline;
  readonly tool: McpTool;
}

/** Starts a run for an agent, with the trigger `mcp`, and waits for its end or for the approvals that it needs. */
export async function runPipeline(
  deps: RunEndpointDeps,
  visit: Visit,
  { registered, tool }: PipelineTarget,
  args: Readonly<Record<string, unknown>>,
  side: AgentSide,
): Promise<ToolResult> {
  const { caller, workspace, request } = visit;
  const input = readArguments(registered, tool, args);
  limitRate(deps, caller, workspace.plan, request);
  await refuseUsedUp(deps, workspace);
  const started = await startRun(deps, {
    workspace,
    target: registered,
    input,
    trigger: 'mcp',
    callerKind: caller.kind,
    callerId: caller.id,
    readTokenHash: undefined,
    withRun: { claims: [], sealedRequest: undefined },
  });
  if (started.kind !== 'started') throw new Error('a run without an idempotency key repeats another');
  const { run } = started;
  const leave = () => {
    if (side.isCancelledByLeaving) cancelRun(deps, run).catch(deps.reportBug);
  };
  if (side.left.aborted) leave();
  else side.left.addEventListener('abort', leave, { once: true });
  try {
    const result = await awaitRun(deps, visit, run, { side, endsAtApproval: true });
    side.revoked.throwIfAborted();
    return result;
  } catch (error) {
    throw namingRun(run, error);
  } finally {
    side.left.removeEventListener('abort', leave);
  }
}

/** A refusal of the answer to a run that has started: with the id, the agent can cancel the run or look at it later. */
function namingRun({ id }: PipelineRun, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new Refusal(error.code, `${error.message} (run ${id})`, error.details);
}

/** Only the fields of the tool: the others would reach secret arguments, or nothing. */
function readArguments(
  { pipeline }: RegisteredPipeline,
  { inputSchema: { properties = {} } }: McpTool,
  args: Readonly<Record<string, unknown>>,
) {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw refuse('invalid_argument', `${JSON.stringify(unknown.slice(0, 100))} is no field of this tool`);
  return checkedInput(pipeline.trigger, args as JsonValue);
}

export interface AwaitRunOptions {
  readonly side: Pick<AgentSide, 'left' | 'revoked' | 'sendProgress'>;
  /** Returns as soon as the run waits for nothing but approvals. */
  readonly endsAtApproval: boolean;
  /** Epoch milliseconds; absent: as long as clients wait. */
  readonly untilMs?: number;
}

/** Follows a run and reports its steps as progress. The result shows the state at the end of the wait. */
export async function awaitRun(
  deps: RunEndpointDeps,
  visit: Visit,
  run: PipelineRun,
  { side, endsAtApproval, untilMs }: AwaitRunOptions,
): Promise<ToolResult> {
  const { clock, settings, runs } = deps;
  const following = followRun(deps, run.id);
  const steps = new StepProgress();
  const reports = side.sendProgress && new ProgressReports(clock, steps, side.sendProgress);
  const longestMs = side.sendProgress === undefined ? WITHOUT_PROGRESS_MS : settings.forwardCapSec * 1000;
  const stop = () => following.stop();
  const uncap = clock.at(untilMs ?? clock.nowMs() + longestMs, stop);
  const gone = AbortSignal.any([side.left, side.revoked]);
  if (gone.aborted) stop();
  else gone.addEventListener('abort', stop, { once: true });
  try {
    for await (const { head, nodes } of following) {
      if (steps.take(nodes)) reports?.changed();
      if (endsAtApproval && head.state === 'waiting_approval') break;
    }
  } finally {
    reports?.end();
    uncap();
    stop();
    gone.removeEventListener('abort', stop);
  }
  return await runToolResult(deps, visit, (await runs.find(run.id)) ?? run);
}

/** The steps of a run as progress: how many have ended, and what happened last. */
class StepProgress {
  readonly #states = new Map<string, NodeRecord>();
  lastLine = '';

  get lines(): number {
    return this.#states.values().filter(isDone).toArray().length;
  }

  /** False: no state of a node has changed. */
  take(nodes: readonly NodeRecord[]): boolean {
    const changed = nodes.filter(({ id, state }) => this.#states.get(id)?.state !== state);
    const hasBegun = this.#states.size > 0;
    for (const node of nodes) this.#states.set(node.id, node);
    const shown = changed.filter(({ state }) => hasBegun || state !== 'queued');
    if (shown.length === 0) return false;
    const states = shown.slice(-3).map(({ id, state }) => `${id}: ${state}`);
    this.lastLine = `${states.join(', ')} (${this.lines} of ${this.#states.size} done)`;
    return true;
  }
}

/** The state of a run for its agent: the steps and the end of their output, or what it waits for. */
export async function runToolResult(
  deps: RunEndpointDeps,
  visit: Visit,
  run: PipelineRun,
): Promise<ToolResult> {
  const { id, slug, head } = run;
  const nodes = await deps.runs.nodes(id);
  const steps = nodes.map(({ id: name, state, error, result }) => {
    const code = result?.exitCode === undefined ? '' : `, exit code ${result.exitCode}`;
    return `- ${name}: ${state}${code}${error === undefined ? '' : `, ${error}`}`;
  });
  const _meta = { [RUN_META]: id };
  if (!hasRunEnded(head)) {
    const lines = [
      `Run ${id} of "${slug}": ${head.state}.`,
      ...steps,
      ...(await pendingLines(deps, visit, run)),
    ];
    lines.push(`Call svc_status with {"id":"${id}","wait_s":50} for its result.`);
    return textResult(lines.join('\n'), { isError: false, _meta });
  }
  const outcome = runOutcome(
    head,
    nodes.find((node) => node.id === head.stoppedBy),
  );
  const tookMs = Math.max(0, (head.endedAtMs ?? run.createdAtMs) - run.createdAtMs);
  const end =
    outcome.kind === 'result'
      ? `Exit code ${outcome.exitCode} after ${tookMs} ms.`
      : `No result: ${outcome.error}.`;
  const output = new TailOutput();
  for await (const piece of runOutput(deps, run)) output.add(piece);
  const { text, earlierLines } = output.tail();
  const earlier = earlierLines === 0 ? '' : `… ${earlierLines} earlier lines: svc_output reads them\n`;
  return {
    content: [
      { type: 'text', text: [`${end} The run is ${head.state}.`, ...steps, `Run ${id}.`].join('\n') },
      ...(text === '' ? [] : [dataText(earlier + text)]),
    ],
    isError: outcome.kind === 'failure' || outcome.exitCode !== 0,
    _meta,
  };
}

/** The approvals that a run waits for. The link may be enough to approve, so a caller that only reads does not get it. */
async function pendingLines(deps: RunEndpointDeps, { caller }: Visit, run: PipelineRun): Promise<string[]> {
  const pending = (await deps.runs.executions(run.id)).filter(({ state }) => state === 'pending_approval');
  const lines: string[] = [];
  for (const { id, step } of pending) {
    const approval = await deps.approvals.ofExecution(id);
    if (approval === undefined) continue;
    const at = accessToControl(caller, run) === 'allowed' ? ` at ${approveUrl(deps, approval)}` : '';
    const until = new Date(approval.expiresAtMs).toISOString();
    lines.push(
      `Waits for approval: step "${step.id}" has not run. A signed-in member of the workspace has to approve it${at} (expires ${until}).`,
    );
  }
  return lines;
}

/** The output of all steps, one after another, in the order in which they began. */
export async function* runOutput(
  { runs, ledger }: Pick<RunEndpointDeps, 'runs' | 'ledger'>,
  { id }: Pick<PipelineRun, 'id'>,
): AsyncGenerator<string> {
  const executions = await runs.executions(id);
  for (const { id: executionId, step, data } of executions) {
    yield `== ${step.id}${step.attempt > 1 ? `, attempt ${step.attempt}` : ''}\n`;
    let last = '\n';
    for await (const chunk of storedOutput(ledger, executionId, 0)) {
      if (isResultPiece(chunk)) continue;
      const text = plainText(chunk);
      last = text.at(-1) ?? last;
      yield text;
    }
    if (data !== undefined) yield `${data}\n`;
    else if (last !== '\n') yield '\n';
  }
}

/** The run with this id, if it is one of this workspace that the agent may reach. */
export async function visibleRunOf(
  { runs }: Pick<RunEndpointDeps, 'runs'>,
  { caller, workspace }: Visit,
  id: string,
  access: typeof accessToControl,
): Promise<PipelineRun | undefined> {
  const run = await runs.find(id);
  if (run?.workspaceId !== workspace.id || access(caller, run) !== 'allowed') return undefined;
  return (await seesSteps(runs, caller, id)) ? run : undefined;
}

import { accessToControl, accessToRead } from '@svc/core/execution/access';
import type { Ended } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import {
  EXECUTION_META,
  endedResult,
  outputUri,
  RUN_META,
  type ToolResult,
  textResult,
} from '@svc/core/mcp/call-result';
import { OutputPage, pageResult } from '@svc/core/mcp/output-page';
import {
  cancelArguments,
  outputArguments,
  readArguments,
  statusArguments,
} from '@svc/core/mcp/own-arguments';
import { TailOutput } from '@svc/core/mcp/tail';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import { approveUrl } from '../approvals/approval-events.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import type { Execution } from '../executions/execution-ports.ts';
import { followExecution } from '../executions/follow-execution.ts';
import { isResultPiece, plainText, storedOutput } from '../executions/stored-output.ts';
import { cancelRun } from '../pipelines/runs/cancel-run.ts';
import type { PipelineRun } from '../pipelines/runs/run-ports.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import { awaitResult } from './await-result.ts';
import { awaitRun, runOutput, runToolResult, visibleRunOf } from './run-pipeline.ts';
import type { Visit } from './visit.ts';

type OwnTool = (deps: RunEndpointDeps, visit: Visit, args: unknown, side: AgentSide) => Promise<ToolResult>;

/**
 * The tools of every workspace, with which an agent reads output, waits and cancels. They see only the calls of the agent's
 * own key; with the scope `read` an AI client reads all of the workspace.
 */
export const OWN_TOOL_HANDLERS: Readonly<Record<string, OwnTool>> = {
  async svc_output(deps, visit, args) {
    const { id: executionId, from_line: fromLine, lines, grep } = readArguments(outputArguments, args);
    const page = new OutputPage({ fromLine, lines, grep });
    const record = await visibleRecord(deps, visit, executionId, accessToRead);
    const output =
      record.kind === 'run' ? runOutput(deps, record.run) : executionOutput(deps, record.execution);
    for await (const piece of output) {
      page.add(piece);
      if (page.isFull) break;
    }
    const isOver = record.kind === 'run' ? hasRunEnded(record.run.head) : hasEnded(record.execution.state);
    return pageResult(page, { kind: record.kind, id: executionId, isOver });
  },

  async svc_status(deps, visit, args, side) {
    const { id: executionId, wait_s: waitSec } = readArguments(statusArguments, args);
    const record = await visibleRecord(deps, visit, executionId, accessToRead);
    if (record.kind === 'run') return await statusOfRun(deps, visit, record.run, waitSec, side);
    const { execution } = record;
    if (hasEnded(execution.state)) return await recordedResult(deps, execution);
    if (waitSec === 0) return await statusResult(deps, visit, execution);
    const following = followExecution(deps, execution, 0);
    const gone = AbortSignal.any([side.left, side.revoked]);
    const leave = () => following.stop();
    gone.addEventListener('abort', leave, { once: true });
    const untilMs = deps.clock.nowMs() + waitSec * 1000;
    const { sendProgress } = side;
    const { result } = await awaitResult(deps, { executionId, following, sendProgress, untilMs });
    gone.removeEventListener('abort', leave);
    const now = await visibleExecution(deps, visit, executionId, accessToRead);
    return hasEnded(now.state) ? result : await statusResult(deps, visit, now);
  },

  async svc_cancel(deps, visit, args) {
    const { id: executionId } = readArguments(cancelArguments, args);
    const record = await visibleRecord(deps, visit, executionId, accessToControl);
    if (record.kind === 'run') {
      const isAsked = await cancelRun(deps, record.run);
      if (!isAsked) return await runToolResult(deps, visit, record.run);
      const text = `The cancel of run ${executionId} is on its way. svc_status shows when it has ended.`;
      return textResult(text, { isError: false, _meta: { [RUN_META]: executionId } });
    }
    const { execution } = record;
    if (hasEnded(execution.state)) return await statusResult(deps, visit, execution);
    await cancelExecution(deps, execution);
    const now = (await deps.ledger.find(executionId)) ?? execution;
    return textResult(
      hasEnded(now.state)
        ? `Cancelled: execution ${executionId} is ${now.state}.`
        : `The cancel is on its way: execution ${executionId} is ${now.state}. svc_status shows when it has ended.`,
      { isError: false, _meta: { [EXECUTION_META]: executionId } },
    );
  },
};

type VisibleRecord =
  | { readonly kind: 'execution'; readonly execution: Execution }
  | { readonly kind: 'run'; readonly run: PipelineRun };

/** An execution or a run. Unknown ids and those of others give one answer (decision 25, errors). */
async function visibleRecord(
  deps: RunEndpointDeps,
  visit: Visit,
  recordId: string,
  access: typeof accessToRead,
): Promise<VisibleRecord> {
  const run = await visibleRunOf(deps, visit, recordId, access);
  if (run !== undefined) return { kind: 'run', run };
  return { kind: 'execution', execution: await visibleExecution(deps, visit, recordId, access) };
}

async function statusOfRun(
  deps: RunEndpointDeps,
  visit: Visit,
  run: PipelineRun,
  waitSec: number,
  side: AgentSide,
): Promise<ToolResult> {
  if (waitSec === 0 || hasRunEnded(run.head)) return await runToolResult(deps, visit, run);
  const untilMs = deps.clock.nowMs() + waitSec * 1000;
  return await awaitRun(deps, visit, run, { side, endsAtApproval: false, untilMs });
}

async function* executionOutput({ ledger }: RunEndpointDeps, { id: executionId }: Execution) {
  for await (const chunk of storedOutput(ledger, executionId, 0))
    if (!isResultPiece(chunk)) yield plainText(chunk);
}

/** One response for unknown ids and for those of others (decision 25, errors). */
export async function visibleExecution(
  { ledger }: Pick<RunEndpointDeps, 'ledger'>,
  visit: Visit,
  executionId: string,
  access: typeof accessToRead,
): Promise<Execution> {
  const execution = await ledger.find(executionId);
  const isOfWorkspace = execution?.workspaceId === visit.workspace.id;
  if (execution === undefined || !isOfWorkspace || access(visit.caller, execution) !== 'allowed')
    throw refuse('not_found', 'there is no such execution');
  return execution;
}

/** The result of an execution, from its record. */
export async function recordedResult(
  { ledger }: Pick<RunEndpointDeps, 'ledger'>,
  execution: Execution,
): Promise<ToolResult> {
  const tail = new TailOutput();
  for await (const chunk of storedOutput(ledger, execution.id, 0))
    if (!isResultPiece(chunk)) tail.add(plainText(chunk));
  return endedResult(execution.id, execution as Execution & Ended, tail.tail());
}

async function statusResult(
  deps: RunEndpointDeps,
  { caller }: Visit,
  execution: Execution,
): Promise<ToolResult> {
  const { id: executionId, slug, state } = execution;
  const approval = state === 'pending_approval' ? await deps.approvals.ofExecution(executionId) : undefined;
  const lines = [`Execution ${executionId} of "${slug}": ${state}.`];
  if (approval !== undefined) {
    // The link may be enough to approve, so a caller that only reads does not get it.
    const at = accessToControl(caller, execution) === 'allowed' ? ` at ${approveUrl(deps, approval)}` : '';
    lines.push(
      `A signed-in member of the workspace has to approve it${at} (expires ${new Date(approval.expiresAtMs).toISOString()}).`,
    );
  } else if (!hasEnded(state)) lines.push(`Its output so far: svc_output, or ${outputUri(executionId)}.`);
  return textResult(lines.join('\n'), { isError: false, _meta: { [EXECUTION_META]: executionId } });
}

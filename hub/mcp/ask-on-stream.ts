import { type Approval, isPending } from '@svc/core/approval/approval';
import { accessToControl } from '@svc/core/execution/access';
import { WITHOUT_PROGRESS_MS } from '@svc/core/mcp/call-result';
import { ProgressReports, type SendProgress } from '@svc/core/mcp/progress';
import { Refusal } from '@svc/core/refusal';
import { approveUrl } from '../approvals/approval-events.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import { awaitDecision, findPendingCall } from '../approvals/pending-call.ts';
import type { Execution } from '../executions/execution-ports.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import type { ClientAnswer, ClientStream } from './client-questions.ts';
import { visibleExecution } from './own-tools.ts';
import { openFor, sealFor } from './sealed-state.ts';
import type { Visit } from './visit.ts';

/** The question to the user of an agent: open the page of the approval. */
export function questionOf(url: string, slug: string) {
  const message = `"${slug}" waits for approval by a signed-in member of the workspace. The page shows the command.`;
  return { url, message };
}

/** A call that was decided while its client waited. */
export interface DecidedCall {
  readonly execution: Execution;
  /** Continues the progress of the wait, because progress has to increase. */
  readonly sendProgress: SendProgress | undefined;
  /** The latest time of the answer. Epoch milliseconds. */
  readonly untilMs: number;
}

/**
 * Asks the client to show the page of an approval, and waits for the decision; undefined: there is none yet. The client's answer is
 * no decision (`takeUrlAnswer`).
 */
export async function askOnStream(
  deps: RunEndpointDeps,
  visit: Visit,
  { sendProgress, left, revoked }: Pick<AgentSide, 'sendProgress' | 'left' | 'revoked'>,
  stream: ClientStream,
  approval: Approval,
): Promise<DecidedCall | undefined> {
  const { clock, settings } = deps;
  const { executionId, slug } = approval;
  const longestMs = sendProgress === undefined ? WITHOUT_PROGRESS_MS : settings.forwardCapSec * 1000;
  const untilMs = clock.nowMs() + longestMs;
  const { url, message } = questionOf(approveUrl(deps, approval), slug);
  const id = sealFor(deps.vault, visit, 'question', { executionId });
  const params = { mode: 'url', elicitationId: executionId, url, message };
  await stream.ask(id, { method: 'elicitation/create', params });
  let sent = 0;
  const waits: SendProgress | undefined =
    sendProgress &&
    (async (progress, text) => {
      sent = progress;
      await sendProgress(progress, text);
    });
  const reports = waits && new ProgressReports(clock, WAITING, waits);
  const pending = await findPendingCall(deps, approval.id);
  const now = await awaitDecision(deps, pending, untilMs, AbortSignal.any([left, revoked])).finally(() =>
    reports?.end(),
  );
  if (isPending(now.approval, clock.nowMs())) return undefined;
  await stream.complete(executionId);
  const execution = (await deps.ledger.find(executionId)) ?? now.execution;
  return {
    execution,
    untilMs,
    sendProgress: sendProgress && ((progress, text) => sendProgress(sent + progress, text)),
  };
}

const WAITING = { lines: 0, lastLine: '', silent: 'waiting for approval' } as const;

/**
 * Takes the answer of a client to `askOnStream`, at any hub. A client that declines or closes the question cancels its call, as long
 * as that waits. An accept approves nothing: it says only that the page was opened. False: it is no answer of this principal.
 */
export async function takeUrlAnswer(
  deps: RunEndpointDeps,
  visit: Visit,
  { id, result }: ClientAnswer,
): Promise<boolean> {
  const question = openFor(deps.vault, visit, 'question', id) as { executionId: string } | undefined;
  if (question === undefined) return false;
  if (result?.action !== 'decline' && result?.action !== 'cancel') return true;
  try {
    const execution = await visibleExecution(deps, visit, question.executionId, accessToControl);
    if (execution.state === 'pending_approval') await cancelExecution(deps, execution);
  } catch (error) {
    // The record was removed in the meantime.
    if (!(error instanceof Refusal && error.code === 'not_found')) throw error;
  }
  return true;
}

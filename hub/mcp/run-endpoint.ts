import { type Approval, isPending } from '@svc/core/approval/approval';
import { refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { hasEnded } from '@svc/core/execution/state';
import { pendingResult, type ToolResult } from '@svc/core/mcp/call-result';
import { LIMITS } from '@svc/core/plan/limits';
import { type Refusal, refuse } from '@svc/core/refusal';
import { approveUrl } from '../approvals/approval-events.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import { awaitDecision, findPendingCall } from '../approvals/pending-call.ts';
import { limitRate } from '../calls/access.ts';
import { callEndpoint } from '../calls/call-endpoint.ts';
import { executionIdOf, followCalled } from '../calls/follow-called.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { type Following, followExecution } from '../executions/follow-execution.ts';
import type { AgentSide, RunEndpointDeps } from './agent-side.ts';
import { askOnStream, questionOf } from './ask-on-stream.ts';
import { awaitResult } from './await-result.ts';
import { digestOf, type PendingCallState, sealFor } from './sealed-state.ts';
import { type NewTask, newTask } from './tasks.ts';
import type { Visit } from './visit.ts';

/** Asks the agent's user to open a page. The agent then repeats the request with `state`. */
export interface UrlQuestion {
  readonly kind: 'open_url';
  readonly url: string;
  readonly message: string;
  readonly state: string;
}

/** The outcome of a call: a result, a question to the agent's user, or a task. */
export type ToolAnswer = ToolResult | UrlQuestion | NewTask;

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How long a repeated request waits for a decision before it asks again: clients give up after 60 s. */
const DECISION_WAIT_MS = 50_000;
/** A call that runs longer becomes a task. */
const TASK_AFTER_MS = 20_000;

/** Calls an endpoint for an agent: an ordinary call with the trigger `mcp` (decision 66, tools for AI agents). */
export async function runEndpoint(
  deps: RunEndpointDeps,
  visit: Visit,
  target: RegisteredEndpoint,
  call: ToolCall,
  side: AgentSide,
): Promise<ToolAnswer> {
  const values = collectValues({ query: [], body: call.args }, target.endpoint.args);
  refuseSecrets(target, values);
  const digest = digestOf(call.name, values);
  if (side.state !== undefined) {
    if (side.state.digest !== digest) throw foreignState();
    return await resume(deps, visit, side, side.state);
  }
  limitRate(deps, visit.caller, visit.workspace.plan, visit.request);
  // The owner of the endpoint expects long executions.
  const isTask = side.canPoll && target.endpoint.timeoutSec > LIMITS.defaultTimeoutSec;
  const called = await callEndpoint(deps, {
    workspace: visit.workspace,
    target,
    method: 'POST',
    values,
    trigger: 'mcp',
    callerKind: visit.caller.kind,
    callerId: visit.caller.id,
    from: deps.addressOf(visit.request),
    asynchronous: isTask,
    readTokenHash: undefined,
    idempotencyKey: undefined,
  });
  if (called.kind === 'pending') {
    const { id: approvalId, executionId, expiresAtMs } = called.approval;
    const validUntilMs = expiresAtMs + target.endpoint.timeoutSec * 1000;
    const state: PendingCallState = { approvalId, executionId, digest, validUntilMs };
    if (side.stream === undefined) return askForApproval(deps, visit, side, called.approval, state);
    const decided = await askOnStream(deps, visit, side, side.stream, called.approval);
    if (decided === undefined) return askForApproval(deps, visit, side, called.approval, state);
    const following = followExecution(deps, decided.execution, 0);
    const waiting = { ...side, sendProgress: decided.sendProgress };
    return await answer(deps, visit, waiting, target, { executionId, following, untilMs: decided.untilMs });
  }
  const executionId = executionIdOf(called);
  if (isTask) return await newTask(deps, visit, executionId);
  return await answer(deps, visit, side, target, { executionId, following: followCalled(deps, called) });
}

/** The same text for every state that does not belong to this request. */
export function foreignState() {
  return refuse('invalid_argument', 'requestState: the state of this request expected');
}

/** A model has no secrets to pass: its context is stored and sent to its provider. */
function refuseSecrets({ endpoint }: RegisteredEndpoint, values: ReadonlyMap<string, string>): void {
  const given = endpoint.args.filter(({ name, secret }) => secret && values.has(name));
  if (given.length === 0) return;
  const message = 'it is secret, and an AI agent gives no secret values';
  throw refuseArguments(given.map(({ name }) => ({ argument: name, message })));
}

interface Followed {
  readonly executionId: string;
  readonly following: Following;
  /** Epoch milliseconds; absent: as long as clients wait. */
  readonly untilMs?: number;
}

async function answer(
  deps: RunEndpointDeps,
  visit: Visit,
  side: AgentSide,
  target: RegisteredEndpoint | undefined,
  { executionId, following, untilMs: latestMs }: Followed,
): Promise<ToolAnswer> {
  const leave = () => {
    following.stop();
    const cancels = side.isCancelledByLeaving || target?.endpoint.onDisconnect === 'cancel';
    if (cancels) cancelUnlessEnded(deps, executionId).catch(deps.reportBug);
  };
  if (side.left.aborted) leave();
  else side.left.addEventListener('abort', leave, { once: true });
  const stop = () => following.stop();
  if (side.revoked.aborted) stop();
  else side.revoked.addEventListener('abort', stop, { once: true });
  try {
    const untilMs = side.canPoll ? deps.clock.nowMs() + TASK_AFTER_MS : latestMs;
    const { sendProgress } = side;
    const result = await awaitResult(deps, { executionId, following, sendProgress, untilMs });
    if (side.revoked.aborted) {
      const { code, message } = side.revoked.reason as Refusal;
      throw refuse(code, message, { execution_id: executionId });
    }
    return side.canPoll && result.isRunning === true
      ? await newTask(deps, visit, executionId)
      : result.result;
  } finally {
    side.revoked.removeEventListener('abort', stop);
    side.left.removeEventListener('abort', leave);
  }
}

async function cancelUnlessEnded(deps: RunEndpointDeps, executionId: string): Promise<void> {
  const execution = await deps.ledger.find(executionId);
  if (execution !== undefined && !hasEnded(execution.state)) await cancelExecution(deps, execution);
}

/**
 * The response to an agent while a person decides. A client that can open URLs shows the page to its user; other agents get
 * the link and the id. A form in the client never counts as approval, because the model could fill it in.
 */
function askForApproval(
  deps: RunEndpointDeps,
  visit: Visit,
  side: AgentSide,
  approval: Approval,
  state: PendingCallState,
): ToolAnswer | Promise<ToolAnswer> {
  const { executionId, slug, expiresAtMs } = approval;
  const url = approveUrl(deps, approval);
  if (!side.canOpenUrls && side.canPoll) return newTask(deps, visit, executionId);
  if (!side.canOpenUrls) return pendingResult({ executionId, slug, approveUrl: url, expiresAtMs });
  return {
    kind: 'open_url',
    ...questionOf(url, slug),
    state: sealFor(deps.vault, visit, 'state', state),
  };
}

/** Continues a pending call: it runs once, however often the agent asks about it. */
async function resume(
  deps: RunEndpointDeps,
  visit: Visit,
  side: AgentSide,
  state: PendingCallState,
): Promise<ToolAnswer> {
  const { approvalId, executionId } = state;
  const call = await findPendingCall(deps, approvalId);
  const untilMs = deps.clock.nowMs() + DECISION_WAIT_MS;
  const now = await awaitDecision(deps, call, untilMs, AbortSignal.any([side.left, side.revoked]));
  if (isPending(now.approval, deps.clock.nowMs()))
    return askForApproval(deps, visit, side, now.approval, state);
  const execution = (await deps.ledger.find(executionId)) ?? now.execution;
  const following = followExecution(deps, execution, 0);
  const target = await deps.endpoints.byId(execution.endpointId);
  return await answer(deps, visit, side, target, { executionId, following });
}

import type { AnswerFormat } from '@svc/core/api/answer-format';
import { UNFINISHED_STATUS } from '@svc/core/api/fail-status';
import type { Preference } from '@svc/core/api/prefer';
import type { Approval } from '@svc/core/approval/approval';
import { encodeId } from '@svc/core/execution/sse';
import { hasEnded } from '@svc/core/execution/state';
import { refuse } from '@svc/core/refusal';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import { approveUrl } from '../approvals/approval-events.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { type Following, followExecution, followNew } from '../executions/follow-execution.ts';
import { collect, resultResponse } from '../executions/http/answer-buffered.ts';
import { rawAnswer } from '../executions/http/answer-raw.ts';
import { eventStream } from '../executions/http/execution-event-stream.ts';
import { acceptedResponse, type ExecutionLinks, executionLinks } from '../executions/http/links.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { LiveExecution } from '../executions/live/live-execution.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { capLater } from '../http/response-cap.ts';
import { REVOKED, type Watch } from '../http/watch-caller.ts';
import { objectResponse } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Called } from './call-endpoint.ts';

interface AnswerCallDeps {
  readonly accounts: Accounts;
  readonly approvals: Approvals;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly endpoints: Endpoints;
  readonly executions: RunningExecutions;
  readonly hubId: string;
  readonly keepOpen: (request: Request) => void;
  readonly ledger: ExecutionLedger;
  readonly random: Random;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

export interface AnswerOptions {
  readonly request: Request;
  readonly prefer: Preference;
  /** The read token of an anonymous caller. */
  readonly readToken: string | undefined;
  readonly format: AnswerFormat | { readonly raw: string };
  /** An answer other than the result of exit code 0 has an error status (decision 17, exit codes and failures). */
  readonly failStatus: boolean;
  /** An event source reconnects by itself (decision 22, eventSource). */
  readonly isEventSource: boolean;
  readonly cancelsOnLeave: boolean;
  /** Undefined: the caller needs no credential. */
  readonly watch: Watch | undefined;
  /** Resolves when the body of the call is read or cut off; undefined: it was read before. An answer that ends early would end it. */
  readonly uploaded: Promise<void> | undefined;
}

/** Answers a call whose execution was dispatched by this hub. */
export function answerNew(
  deps: AnswerCallDeps,
  live: LiveExecution,
  options: AnswerOptions,
): Response | Promise<Response> {
  return answerBegun(deps, live.id, options, () => followNew(deps, live));
}

/** Answers a call whose execution was dispatched by a remote hub. */
export function answerRemoteCall(
  deps: AnswerCallDeps,
  { execution, feed }: Extract<Called, { kind: 'remote' }>,
  options: AnswerOptions,
): Response | Promise<Response> {
  return answerBegun(deps, execution.id, options, () => followExecution(deps, execution, 0, feed));
}

function answerBegun(
  deps: AnswerCallDeps,
  executionId: string,
  options: AnswerOptions,
  follow: () => Following,
): Response | Promise<Response> {
  const links = executionLinks(deps.settings.baseUrl, executionId, options.readToken);
  if (options.prefer.respondAsync) {
    const accepted = () =>
      acceptedResponse(executionId, 'running', links, { 'Preference-Applied': 'respond-async' });
    if (options.uploaded !== undefined) deps.keepOpen(options.request);
    return options.uploaded === undefined ? accepted() : options.uploaded.then(accepted);
  }
  deps.keepOpen(options.request);
  const capSec = Math.min(deps.settings.forwardCapSec, options.prefer.waitSec ?? Number.POSITIVE_INFINITY);
  return answer(deps, { executionId, following: follow(), links, capSec }, options);
}

/** Answers an asynchronous call whose execution is queued. */
export function answerQueued(
  { settings }: AnswerCallDeps,
  executionId: string,
  readToken: string | undefined,
): Response {
  const links = executionLinks(settings.baseUrl, executionId, readToken);
  return acceptedResponse(executionId, 'queued', links, { 'Preference-Applied': 'respond-async' });
}

/** Answers a repeated call from the record of the first (decision 23, idempotency). */
export function answerRepeated(
  deps: AnswerCallDeps,
  execution: Execution,
  options: AnswerOptions,
): Response | Promise<Response> {
  const links = executionLinks(deps.settings.baseUrl, execution.id);
  if (options.prefer.respondAsync) return acceptedResponse(execution.id, execution.state, links);
  const following = followExecution(deps, execution, 0);
  const { forwardCapSec: capSec } = deps.settings;
  return answer(deps, { executionId: execution.id, following, links, capSec }, options);
}

interface Answered {
  readonly executionId: string;
  readonly following: Following;
  readonly links: ExecutionLinks;
  readonly capSec: number;
}

function answer(
  deps: AnswerCallDeps,
  answered: Answered,
  options: AnswerOptions,
): Response | Promise<Response> {
  const { format } = options;
  if (typeof format === 'object') return answerRaw(deps, answered, { ...options, contentType: format.raw });
  return format === 'buffered'
    ? answerBuffered(deps, answered, options)
    : answerEvents(deps, answered, options);
}

function answerEvents(deps: AnswerCallDeps, answered: Answered, options: AnswerOptions): Response {
  const { executionId, following, links, capSec } = answered;
  const { clock, reportBug } = deps;
  const name = options.readToken === undefined ? executionId : `${executionId}.${options.readToken}`;
  const cap = `the response ends after ${capSec} s, the execution continues: ${links.streamUrl} follows it`;
  return eventStream({
    following,
    clock,
    reportBug,
    request: options.request,
    headers: { 'X-Execution-Id': executionId },
    subject: { execution_id: executionId },
    ...(options.isEventSource ? { ids: { prefix: `${name}/`, first: encodeId(name) } } : {}),
    cap: { afterSec: capSec, since: options.uploaded, message: cap },
    watch: options.watch,
    onLeave: leaver(deps, executionId, options),
  });
}

async function answerBuffered(
  deps: AnswerCallDeps,
  answered: Answered,
  options: AnswerOptions,
): Promise<Response> {
  const { executionId, following, links } = answered;
  const watched = watchAnswer(deps, answered, options);
  try {
    const collected = await collect(following);
    if (watched.isRevoked()) throw refuse('unauthorized', REVOKED, { execution_id: executionId });
    if (collected === undefined) return unfinished(executionId, links, options);
    return resultResponse(collected, executionId, links, options.failStatus);
  } finally {
    watched.release();
  }
}

async function answerRaw(
  deps: AnswerCallDeps,
  answered: Answered,
  options: AnswerOptions & { readonly contentType: string },
): Promise<Response> {
  const { executionId, following, links } = answered;
  const { isRevoked, release } = watchAnswer(deps, answered, options);
  const response = await rawAnswer({ ...options, executionId, following, release });
  if (response !== undefined) return response;
  if (isRevoked()) throw refuse('unauthorized', REVOKED, { execution_id: executionId });
  return unfinished(executionId, links, options);
}

/** Stops the reading when the caller leaves, the cap is reached or the credential ends; `release` ends the watch and the reading. */
function watchAnswer(deps: AnswerCallDeps, answered: Answered, options: AnswerOptions) {
  const { executionId, following, capSec } = answered;
  const { clock } = deps;
  const leave = leaver(deps, executionId, options);
  const { signal } = options.request;
  signal.addEventListener('abort', leave, { once: true });
  const uncap = capLater(clock, { afterSec: capSec, since: options.uploaded }, () => following.stop());
  let isRevoked = false;
  const unwatch = options.watch?.(() => {
    isRevoked = true;
    following.stop();
  });
  return {
    isRevoked: () => isRevoked,
    release() {
      uncap();
      unwatch?.();
      following.stop();
      signal.removeEventListener('abort', leave);
    },
  };
}

/** The execution continues after the answer: a success only for a caller that expects one. */
function unfinished(executionId: string, links: ExecutionLinks, { failStatus }: AnswerOptions): Response {
  if (!failStatus) return acceptedResponse(executionId, 'running', links);
  return acceptedResponse(
    executionId,
    'running',
    links,
    { 'Preference-Applied': 'fail-status' },
    UNFINISHED_STATUS,
  );
}

/** The caller has left; the command continues unless its endpoint says otherwise (decision 21, callers that leave). */
function leaver(deps: AnswerCallDeps, executionId: string, { cancelsOnLeave }: AnswerOptions): () => void {
  return () => {
    if (cancelsOnLeave) void cancelUnlessEnded(deps, executionId).catch(deps.reportBug);
  };
}

async function cancelUnlessEnded(deps: AnswerCallDeps, executionId: string): Promise<void> {
  const running = deps.executions.find(executionId);
  if (running?.live.isFinishing === true) return;
  const execution =
    running === undefined
      ? await deps.ledger.find(executionId)
      : { ...running.execution, state: 'running' as const };
  if (execution !== undefined && !hasEnded(execution.state)) await cancelExecution(deps, execution);
}

interface AnswerPendingDeps {
  readonly clock: Clock;
  readonly linkTokens: LinkTokens;
  readonly settings: Settings;
}

/** The 202 of a call that is pending approval (reference 4.5); its caller polls the URL in `Location`. */
export function pendingResponse(
  deps: AnswerPendingDeps,
  approval: Approval,
  readToken: string | undefined,
  failStatus = false,
): Response {
  const query = readToken === undefined ? '' : `?token=${readToken}`;
  return objectResponse(pendingBody(deps, approval), failStatus ? UNFINISHED_STATUS : 202, {
    'X-Execution-Id': approval.executionId,
    Location: `${deps.settings.baseUrl}/approvals/${approval.id}${query}`,
  });
}

export function pendingBody(deps: AnswerPendingDeps, approval: Approval) {
  const mins = Math.max(0, Math.ceil((approval.expiresAtMs - deps.clock.nowMs()) / 60_000));
  const within = mins === 1 ? 'a minute' : `${mins} minutes`;
  return {
    status: 'pending_approval' as const,
    execution_id: approval.executionId,
    approval_id: approval.id,
    approve_url: approveUrl(deps, approval),
    message: `"${approval.slug}" waits for approval: approve_url shows it to a person, who decides within ${within}`,
    expires_in_mins: mins,
  };
}

import type { AnswerFormat } from '@svc/core/api/answer-format';
import type { Preference } from '@svc/core/api/prefer';
import { encodeId } from '@svc/core/execution/sse';
import { hasEnded } from '@svc/core/execution/state';
import { refuse } from '@svc/core/refusal';
import type { Called } from '../../engine/execution/call-endpoint.ts';
import { cancelExecution } from '../../engine/execution/cancel-execution.ts';
import { type Following, followExecution, followNew } from '../../engine/execution/follow-execution.ts';
import type { LiveExecution } from '../../engine/live/live-execution.ts';
import type { Execution } from '../../engine/ports/executions.ts';
import type { HubContext } from '../context.ts';
import { acceptedResponse } from '../execution/accepted.ts';
import { collect, resultResponse } from '../execution/answer-buffered.ts';
import { eventStream } from '../execution/event-stream.ts';
import { type ExecutionLinks, executionLinks } from '../execution/links.ts';
import { REVOKED, type Watch } from '../routes/watch-caller.ts';

export interface AnswerOptions {
  readonly request: Request;
  readonly prefer: Preference;
  /** Of an anonymous caller. */
  readonly readToken: string | undefined;
  readonly format: AnswerFormat;
  /** It would ask again by itself (decision 22). */
  readonly isEventSource: boolean;
  readonly cancelsOnLeave: boolean;
  /** Undefined: the caller needs no credential. */
  readonly watch: Watch | undefined;
}

/** Answers a call whose execution has just been given to an agent. */
export function answerNew(
  context: HubContext,
  live: LiveExecution,
  options: AnswerOptions,
): Response | Promise<Response> {
  return answerBegun(context, live.id, options, () => followNew(context, live));
}

/** The same of one that another hub has begun. */
export function answerElsewhere(
  context: HubContext,
  { execution, feed }: Extract<Called, { kind: 'elsewhere' }>,
  options: AnswerOptions,
): Response | Promise<Response> {
  return answerBegun(context, execution.id, options, () => followExecution(context, execution, 0, feed));
}

function answerBegun(
  context: HubContext,
  executionId: string,
  options: AnswerOptions,
  follow: () => Following,
): Response | Promise<Response> {
  const links = executionLinks(context.settings.baseUrl, executionId, options.readToken);
  if (options.prefer.respondAsync) {
    return acceptedResponse(executionId, 'running', links, { 'Preference-Applied': 'respond-async' });
  }
  context.keepOpen(options.request);
  const capSec = Math.min(context.settings.forwardCapSec, options.prefer.waitSec ?? Number.POSITIVE_INFINITY);
  return answer(context, { executionId, following: follow(), links, capSec }, options);
}

/** Answers a call that is on record and waits, and whose caller does not. */
export function answerQueued(
  { settings }: Pick<HubContext, 'settings'>,
  executionId: string,
  readToken: string | undefined,
): Response {
  const links = executionLinks(settings.baseUrl, executionId, readToken);
  return acceptedResponse(executionId, 'queued', links, { 'Preference-Applied': 'respond-async' });
}

/** Answers the second of two equal calls from the record of the first (decision 23). */
export function answerRepeated(
  context: HubContext,
  execution: Execution,
  options: AnswerOptions,
): Response | Promise<Response> {
  const links = executionLinks(context.settings.baseUrl, execution.id);
  if (options.prefer.respondAsync) return acceptedResponse(execution.id, execution.state, links);
  const following = followExecution(context, execution, 0);
  const { forwardCapSec: capSec } = context.settings;
  return answer(context, { executionId: execution.id, following, links, capSec }, options);
}

interface Answered {
  readonly executionId: string;
  readonly following: Following;
  readonly links: ExecutionLinks;
  readonly capSec: number;
}

function answer(
  context: HubContext,
  answered: Answered,
  options: AnswerOptions,
): Response | Promise<Response> {
  return options.format === 'buffered'
    ? answerBuffered(context, answered, options)
    : answerEvents(context, answered, options);
}

function answerEvents(context: HubContext, answered: Answered, options: AnswerOptions): Response {
  const { executionId, following, links, capSec } = answered;
  const { clock, reportBug } = context;
  const name = options.readToken === undefined ? executionId : `${executionId}.${options.readToken}`;
  const cap = `the response ends after ${capSec} s, the execution goes on: ${links.streamUrl} follows it`;
  return eventStream({
    following,
    clock,
    reportBug,
    request: options.request,
    headers: { 'X-Execution-Id': executionId },
    ...(options.isEventSource ? { ids: { prefix: `${name}/`, first: encodeId(name) } } : {}),
    cap: { atMs: clock.nowMs() + capSec * 1000, message: cap },
    watch: options.watch,
    onLeave: leaver(context, executionId, options),
  });
}

async function answerBuffered(
  context: HubContext,
  answered: Answered,
  options: AnswerOptions,
): Promise<Response> {
  const { executionId, following, links, capSec } = answered;
  const { clock } = context;
  const leave = leaver(context, executionId, options);
  const { signal } = options.request;
  signal.addEventListener('abort', leave, { once: true });
  const uncap = clock.at(clock.nowMs() + capSec * 1000, () => following.stop());
  let isRevoked = false;
  const unwatch = options.watch?.(() => {
    isRevoked = true;
    following.stop();
  });
  try {
    const collected = await collect(following);
    if (isRevoked) throw refuse('unauthorized', REVOKED, { execution_id: executionId });
    if (collected === undefined) return acceptedResponse(executionId, 'running', links);
    return resultResponse(collected, executionId, links);
  } finally {
    uncap();
    unwatch?.();
    following.stop();
    signal.removeEventListener('abort', leave);
  }
}

/** Nobody reads any more; the command goes on unless its endpoint says otherwise (decision 21). */
function leaver(context: HubContext, executionId: string, { cancelsOnLeave }: AnswerOptions): () => void {
  return () => {
    if (cancelsOnLeave) void cancelUnlessEnded(context, executionId).catch(context.reportBug);
  };
}

async function cancelUnlessEnded(context: HubContext, executionId: string): Promise<void> {
  const running = context.executions.find(executionId);
  if (running?.live.isFinishing === true) return;
  const execution =
    running === undefined
      ? await context.ledger.find(executionId)
      : { ...running.execution, state: 'running' as const };
  if (execution !== undefined && !hasEnded(execution.state)) await cancelExecution(context, execution);
}

import type { AnswerFormat } from '@svc/core/api/answer-format';
import { UNFINISHED_STATUS } from '@svc/core/api/fail-status';
import type { Preference } from '@svc/core/api/prefer';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import { REVOKED, type Watch } from '../../../http/watch-caller.ts';
import { followHead } from '../follow-run.ts';
import type { PipelineRun } from '../run-ports.ts';
import { acceptedRun, type RunLinks, runLinks } from './run-links.ts';
import { resultResponse } from './run-result.ts';
import { type RunStreamDeps, runStream } from './run-stream.ts';
import { type WaitingStepsDeps, waitingSteps } from './waiting-steps.ts';

export interface AnswerRunDeps extends RunStreamDeps, WaitingStepsDeps {
  readonly keepOpen: (request: Request) => void;
}

export interface RunAnswerOptions {
  readonly request: Request;
  readonly prefer: Preference;
  /** For an anonymous caller. */
  readonly readToken: string | undefined;
  readonly format: AnswerFormat;
  /** An answer other than the result of exit code 0 has an error status (decision 17, results). */
  readonly failStatus: boolean;
  /** The sender times out within seconds and only needs to know that the run is stored. */
  readonly isFromSender: boolean;
  /** The client would reconnect by itself (decision 22). */
  readonly isEventSource: boolean;
  /** Undefined: the caller needs no credential. */
  readonly watch: Watch | undefined;
}

/** Responds to a call with its run, in the requested form (decision 43). The run continues when the caller disconnects. */
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

/** When the response ends while the run continues (decision 19). */
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
  const message = `the response ends after ${sec} s, the run goes on: ${links.streamUrl} follows it`;
  return await runStream(deps, {
    request,
    run,
    statusUrl: links.statusUrl,
    headers: { 'X-Run-Id': run.id },
    ids: isEventSource ? { prefix: `${name}/`, first: name } : undefined,
    cap: { atMs: deps.clock.nowMs() + sec * 1_000, message },
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

import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID, readPosition } from '@svc/core/execution/event-ids';
import { readRunPosition } from '@svc/core/pipeline/stream/run-position';
import { hashToken } from '../../engine/account/hash-token.ts';
import { identify } from '../../engine/account/identify.ts';
import { followExecution } from '../../engine/execution/follow-execution.ts';
import type { Execution } from '../../engine/ports/executions.ts';
import type { PipelineRun } from '../../engine/ports/pipeline-runs.ts';
import type { HubContext } from '../context.ts';
import { eventStream } from '../execution/event-stream.ts';
import { runLinks } from '../pipeline-run/run-links.ts';
import { runStream } from '../pipeline-run/run-stream.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { tokenOf } from './credential.ts';

const EVENT_ID = /^([0-9a-f-]{36})(?:\.([0-9a-f]{64}))?(?:\/(.*))?$/;

/** What the last event that a reader had says: of which execution or run, and how far. */
interface LastEvent {
  readonly id: string;
  /** Of an anonymous caller. */
  readonly readToken: string | undefined;
  readonly position: string;
}

/**
 * A request that says what it saw last: goes on there, or is told that there is nothing more. It never runs anything
 * (decision 22).
 */
export async function resumeCall(
  context: HubContext,
  request: Request,
  caller: Caller,
  lastEventId: string,
): Promise<Response> {
  const [, id, readToken, position = '0'] = EVENT_ID.exec(lastEventId) ?? [];
  if (id === undefined) return nothingMore();
  const last = { id, readToken, position };
  const execution = await context.ledger.find(id);
  if (execution !== undefined) return resumeExecution(context, request, { caller, last, execution });
  const run = await context.runs.find(id);
  return run === undefined ? nothingMore() : await resumeRun(context, request, { caller, last, run });
}

function nothingMore(): Response {
  return new Response(null, { status: 204 });
}

function resumeExecution(
  context: HubContext,
  request: Request,
  { caller, last, execution }: { caller: Caller; last: LastEvent; execution: Execution },
): Response {
  const after = readPosition(last.position);
  if (!maySee(caller, execution, last) || after === undefined || after === END_ID) return nothingMore();
  return eventStream({
    following: followExecution(context, execution, after.seq - 1),
    after,
    clock: context.clock,
    headers: { 'X-Execution-Id': execution.id },
    ids: { prefix: `${nameOf(last)}/`, first: undefined },
    reportBug: context.reportBug,
    ...reading(context, request, caller, (again) => maySee(again, execution, last)),
  });
}

async function resumeRun(
  context: HubContext,
  request: Request,
  { caller, last, run }: { caller: Caller; last: LastEvent; run: PipelineRun },
): Promise<Response> {
  const after = readRunPosition(last.position);
  if (!maySee(caller, run, last) || after === undefined || after === END_ID) return nothingMore();
  return await runStream(context, {
    run,
    after,
    statusUrl: runLinks(context, run.id, last.readToken).statusUrl,
    headers: { 'X-Run-Id': run.id },
    ids: { prefix: `${nameOf(last)}/`, first: undefined },
    ...reading(context, request, caller, (again) => maySee(again, run, last)),
  });
}

/** What is the same for whatever is read on. */
function reading(
  context: HubContext,
  request: Request,
  caller: Caller,
  isAllowed: (caller: Caller) => boolean,
) {
  context.keepOpen(request);
  const watch = watchCaller(context, caller, () => identify(context, tokenOf(request)), isAllowed);
  return { request, greets: true, watch, onLeave: () => undefined };
}

function nameOf({ id, readToken }: LastEvent): string {
  return readToken === undefined ? id : `${id}.${readToken}`;
}

function maySee(
  caller: Caller,
  seen: Pick<PipelineRun, 'workspaceId' | 'callerKind' | 'callerId' | 'readTokenHash'>,
  { readToken }: LastEvent,
): boolean {
  if (readToken !== undefined && seen.readTokenHash === hashToken(readToken)) return true;
  return accessToExecution(caller, seen) === 'allowed';
}

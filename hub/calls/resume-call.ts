import { accessToControl, type Caller } from '@svc/core/execution/access';
import { END_ID, readPosition } from '@svc/core/execution/event-ids';
import { readRunPosition } from '@svc/core/pipeline/stream/run-position';
import { identify, type KeyUse } from '../accounts/identify.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { followExecution } from '../executions/follow-execution.ts';
import { eventStream } from '../executions/http/execution-event-stream.ts';
import type { ChangeWaiters } from '../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { RemoteHubs } from '../executions/remote/remote-hubs.ts';
import { tokenOf } from '../http/identity.ts';
import { watchCaller } from '../http/watch-caller.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { runLinks } from '../pipelines/runs/http/run-links.ts';
import { runStream } from '../pipelines/runs/http/run-stream.ts';
import type { Graphs } from '../pipelines/runs/read-graph.ts';
import type { PipelineRun } from '../pipelines/runs/run-ports.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';

export interface ResumeCallDeps {
  readonly accounts: Accounts;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly executions: RunningExecutions;
  readonly graphs: Graphs;
  readonly hubId: string;
  readonly keepOpen: (request: Request) => void;
  readonly keyUse: KeyUse;
  readonly ledger: ExecutionLedger;
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly pipelines: Pipelines;
  readonly reportBug: (error: unknown) => string;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
}

const EVENT_ID = /^([0-9a-f-]{36})(?:\.([0-9a-f]{64}))?(?:\/(.*))?$/;

/** The last event id of a reader: the execution or run, and the position. */
interface LastEvent {
  readonly id: string;
  /** The read token of an anonymous caller. */
  readonly readToken: string | undefined;
  readonly position: string;
}

/**
 * Resumes the stream of a request with `Last-Event-ID`, or answers that the stream has ended. It never runs anything (decision 22,
 * eventSource).
 */
export async function resumeCall(
  deps: ResumeCallDeps,
  request: Request,
  caller: Caller,
  lastEventId: string,
): Promise<Response> {
  const [, id, readToken, position = '0'] = EVENT_ID.exec(lastEventId) ?? [];
  if (id === undefined) return nothingMore();
  const last = { id, readToken, position };
  const execution = await deps.ledger.find(id);
  if (execution !== undefined) return resumeExecution(deps, request, { caller, last, execution });
  const run = await deps.runs.find(id);
  return run === undefined ? nothingMore() : await resumeRun(deps, request, { caller, last, run });
}

function nothingMore(): Response {
  return new Response(null, { status: 204 });
}

function resumeExecution(
  deps: ResumeCallDeps,
  request: Request,
  { caller, last, execution }: { caller: Caller; last: LastEvent; execution: Execution },
): Response {
  const after = readPosition(last.position);
  if (!maySee(caller, execution, last) || after === undefined || after === END_ID) return nothingMore();
  return eventStream({
    following: followExecution(deps, execution, after.seq - 1),
    after,
    clock: deps.clock,
    headers: { 'X-Execution-Id': execution.id },
    subject: { execution_id: execution.id },
    ids: { prefix: `${nameOf(last)}/`, first: undefined },
    reportBug: deps.reportBug,
    ...reading(deps, request, caller, (again) => maySee(again, execution, last)),
  });
}

async function resumeRun(
  deps: ResumeCallDeps,
  request: Request,
  { caller, last, run }: { caller: Caller; last: LastEvent; run: PipelineRun },
): Promise<Response> {
  const after = readRunPosition(last.position);
  if (!maySee(caller, run, last) || after === undefined || after === END_ID) return nothingMore();
  return await runStream(deps, {
    run,
    after,
    statusUrl: runLinks(deps, run.id, last.readToken).statusUrl,
    headers: { 'X-Run-Id': run.id },
    ids: { prefix: `${nameOf(last)}/`, first: undefined },
    ...reading(deps, request, caller, (again) => maySee(again, run, last)),
  });
}

/** The options that executions and runs share. */
function reading(
  deps: ResumeCallDeps,
  request: Request,
  caller: Caller,
  isAllowed: (caller: Caller) => boolean,
) {
  deps.keepOpen(request);
  const watch = watchCaller(deps, caller, () => identify(deps, tokenOf(request)), isAllowed);
  return { request, greets: true, watch, onLeave: () => undefined };
}

function nameOf({ id, readToken }: LastEvent): string {
  return readToken === undefined ? id : `${id}.${readToken}`;
}

function maySee(
  caller: Caller,
  seen: Pick<PipelineRun, 'workspaceId' | 'slug' | 'callerKind' | 'callerId' | 'readTokenHash'>,
  { readToken }: LastEvent,
): boolean {
  if (readToken !== undefined && seen.readTokenHash === hashToken(readToken)) return true;
  return accessToControl(caller, seen) === 'allowed';
}

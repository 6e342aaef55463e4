import { breakConnection } from '@svc/core/api/raw-answer';
import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { accessToControl, accessToExecution, type Caller, MAY_ONLY_VIEW } from '@svc/core/execution/access';
import { END_ID } from '@svc/core/execution/event-ids';
import { kindOfEvents, rawParts } from '@svc/core/execution/raw-output';
import { encodeSkipped } from '@svc/core/execution/skipped-output';
import { hasEnded } from '@svc/core/execution/state';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import type { KeyUse } from '../../accounts/identify.ts';
import { hashToken } from '../../accounts/make-tokens.ts';
import type { OpenStreams } from '../../accounts/open-streams.ts';
import type { Accounts } from '../../accounts/store/account-store.ts';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { Approvals } from '../../approvals/approval-ports.ts';
import { cancelExecution } from '../../approvals/cancel-execution.ts';
import type { Endpoints } from '../../endpoints/store/endpoint-store.ts';
import type { Handlers } from '../../http/handler.ts';
import { callerOf } from '../../http/identity.ts';
import { watchCaller } from '../../http/watch-caller.ts';
import type { CallLookups } from '../../lookups/caches.ts';
import type { Grants } from '../../oauth/store/grant-store.ts';
import { acceptedCodings, gzipped } from '../../platform/http/gzip.ts';
import { jsonResponse } from '../../platform/http/json-response.ts';
import { endOfPage } from '../../platform/page-of-items.ts';
import type { ReadPacer } from '../../platform/read-pacer.ts';
import type { Settings } from '../../platform/settings.ts';
import type { Clock, Random } from '../../platform/world.ts';
import type { Execution, ExecutionFilter, ExecutionLedger } from '../execution-ports.ts';
import { followExecution, storedFollowing } from '../follow-execution.ts';
import type { ChangeWaiters } from '../live/change-waiters.ts';
import type { RunningExecutions } from '../live/running-executions.ts';
import type { RemoteHubs } from '../remote/remote-hubs.ts';
import { collectStored, isResultPiece, plainText, storedOutput } from '../stored-output.ts';
import { describeExecution, listedArgs, requestedBy, requestersOf, withData } from './describe-execution.ts';
import { eventStream } from './execution-event-stream.ts';
import { executionLinks } from './links.ts';
import { type SearchOutputDeps, searchOutput } from './search-output.ts';
import { streamRange } from './stream-range.ts';

interface ExecutionRoutesDeps extends SearchOutputDeps {
  readonly accounts: Accounts;
  readonly approvals: Approvals;
  readonly changes: ChangeWaiters;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly grants: Grants;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly endpoints: Endpoints;
  readonly executions: RunningExecutions;
  readonly hubId: string;
  readonly keepOpen: (request: Request) => void;
  readonly keyUse: KeyUse;
  readonly ledger: ExecutionLedger;
  readonly lookups: CallLookups;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly readPacer: ReadPacer;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

type Routes = Pick<
  Handlers,
  'listExecutions' | 'showExecution' | 'streamExecution' | 'readOutput' | 'cancelExecution'
>;

/** Executions for callers and members (decision 20, asynchronous calls and records). */
export function executionRoutes(deps: ExecutionRoutesDeps): Routes {
  return {
    async listExecutions({ caller, query }) {
      // A key sees its own executions only.
      if (caller.kind === 'api_key' && query.caller !== undefined && query.caller !== caller.id)
        return { items: [], next_cursor: null };
      const filter = await visibleOnly(deps, caller, filterOf(caller, query));
      if (filter === undefined) return { items: [], next_cursor: null };
      const found = query.output === undefined ? undefined : await searchOutput(deps, filter, query.output);
      const { items, ...end } = found?.page ?? (await deps.ledger.list(filter));
      const names = await requestersOf(deps, items);
      const described = items.map((one, n) => ({
        ...describeExecution(one, links(deps, one)),
        requested_by: names[n] ?? '',
        caller_id: one.callerId,
        args: query.with === 'args' ? listedArgs(one) : undefined,
        output_line: found?.lines[n],
      }));
      return { items: described, ...endOfPage(end), ...found?.unsearched };
    },
    async showExecution({ caller, parameters: { id }, query }) {
      const execution = await visible(deps, caller, id, query.token);
      const description = {
        ...describeExecution(execution, links(deps, execution, query.token)),
        requested_by: await requestedBy(deps, execution),
        args: JSON.parse(execution.args) as Record<string, string | null>,
        files: execution.files?.map((file) => ({ ...file })),
        line_times: query.with === 'line_times' ? await lineTimes(deps, execution) : undefined,
      };
      if (query.without === 'result') return description;
      if (!hasEnded(execution.state) || execution.exitCode === undefined || execution.data !== undefined)
        return jsonResponse(withData(description, execution));
      const output = await collectStored(deps.ledger, id, LIMITS.bufferedOutputBytes);
      const { text, base64, isTruncated } = output;
      const encoded =
        base64 === undefined ? { output: text } : { output: base64, encoding: 'base64' as const };
      return { ...description, ...encoded, truncated: isTruncated || undefined };
    },
    async streamExecution({ request, caller, parameters: { id }, query }) {
      const execution = await visible(deps, caller, id, query.token);
      const range = await streamRange(deps, execution, request, query);
      if (range === END_ID) return new Response(null, { status: 204 });
      const { after, before, skipped } = range;
      deps.keepOpen(request);
      return eventStream({
        following:
          before === undefined
            ? followExecution(deps, execution, after.seq - 1)
            : storedFollowing(deps.ledger, id, after.seq - 1, before.seq),
        request,
        after,
        before,
        clock: deps.clock,
        headers: { 'X-Execution-Id': id },
        subject: { execution_id: id },
        ids: { prefix: '', first: skipped && encodeSkipped(skipped) },
        greets: true,
        // Events of a running command are sent one by one, and gain little.
        isGzipped:
          (before !== undefined || hasEnded(execution.state)) && acceptedCodings(request).has('gzip'),
        watch: query.token === undefined ? watchReader(deps, request, caller, execution) : undefined,
        onLeave: () => undefined,
        reportBug: deps.reportBug,
      });
    },
    async readOutput({ request, caller, parameters: { id }, query }) {
      const execution = await visible(deps, caller, id, query.token);
      const output = storedBytes(deps, execution, query.stream);
      // Raw bytes may be compressed already.
      const isGzipped = query.stream !== 'stdout' && acceptedCodings(request).has('gzip');
      // Bun takes an async generator as a body and asks it for more as the reader reads; the types of the DOM do not know it.
      const body = (isGzipped ? gzipped(output) : output) as unknown as ReadableStream;
      return new Response(body, {
        headers: {
          ...(isGzipped && { 'Content-Encoding': 'gzip' }),
          Vary: 'Accept-Encoding',
          'Content-Type':
            query.stream === 'stdout' ? 'application/octet-stream' : 'text/plain; charset=utf-8',
          'Cache-Control': 'no-store',
          'Content-Disposition': 'attachment',
          'X-Execution-Id': id,
        },
      });
    },
    async cancelExecution({ caller, parameters: { id }, query }) {
      const execution = await visible(deps, caller, id, query.token, accessToControl);
      await cancelExecution(deps, execution);
      const now = (await deps.ledger.find(id)) ?? execution;
      return describeExecution(now, links(deps, now, query.token));
    },
  };
}

async function lineTimes(
  { ledger }: ExecutionRoutesDeps,
  { id }: Execution,
): Promise<[number, number][] | undefined> {
  return (await ledger.lineTimes(id))?.map(([event, ms]) => [event, ms]);
}

/** A reader with a read token needs no credential; other readers need a valid one as long as they read. */
function watchReader(deps: ExecutionRoutesDeps, request: Request, caller: Caller, execution: Execution) {
  const { credentials } = ROUTES.streamExecution.access;
  const isAllowed = (again: Caller) => accessToExecution(again, execution) === 'allowed';
  return watchCaller(deps, caller, () => callerOf(deps, request, credentials), isAllowed);
}

/** Unknown executions and executions of others take the same code path (decision 25, errors). */
export async function visible(
  { ledger }: Pick<ExecutionRoutesDeps, 'ledger'>,
  caller: Caller,
  id: string,
  readToken: string | undefined,
  accessTo = accessToExecution,
): Promise<Execution> {
  const execution = await ledger.find(id);
  if (readToken !== undefined && execution?.readTokenHash === hashToken(readToken)) return execution;
  const access = accessTo(caller, execution);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'forbidden') throw refuse('forbidden', MAY_ONLY_VIEW);
  if (access === 'not_found' || execution === undefined)
    throw refuse('not_found', 'there is no such execution');
  return execution;
}

function links({ settings }: ExecutionRoutesDeps, { id }: Execution, readToken?: string) {
  return executionLinks(settings.baseUrl, id, readToken);
}

function filterOf(caller: Caller, query: RouteQuery<'listExecutions'>): ExecutionFilter {
  if (caller.kind === 'anonymous') throw refuse('unauthorized', 'an API key or an access token is needed');
  const {
    limit,
    endpoint: slug,
    status: states,
    trigger,
    agent: agentName,
    from,
    until,
    cursor,
    arg,
  } = query;
  const callerId = caller.kind === 'api_key' ? caller.id : query.caller;
  return {
    workspaceId: caller.workspaceId,
    limit,
    ...(callerId === undefined ? {} : { callerId }),
    ...(arg === undefined ? {} : { argument: argumentOf(arg) }),
    ...(slug === undefined ? {} : { slug }),
    ...(states === undefined ? {} : { states }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(agentName === undefined ? {} : { agentName }),
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/**
 * The filter cut to the endpoints that the caller may view; undefined: there is none (decision 87, rights per endpoint). The
 * executions of an endpoint that was deleted are found only by its name.
 */
async function visibleOnly(
  { endpoints }: ExecutionRoutesDeps,
  caller: Caller,
  filter: ExecutionFilter,
): Promise<ExecutionFilter | undefined> {
  const rights = caller.kind === 'anonymous' ? undefined : caller.rights;
  if (!rights?.isLimited) return filter;
  if (filter.slug !== undefined) return rights.may('view', filter.slug) ? filter : undefined;
  const all = await endpoints.list(filter.workspaceId);
  const slugs = all.map(({ endpoint }) => endpoint.slug).filter((slug) => rights.may('view', slug));
  return slugs.length === 0 ? undefined : { ...filter, slugs };
}

/** `branch=main`: the value may contain more of `=`. */
function argumentOf(text: string): NonNullable<ExecutionFilter['argument']> {
  const border = text.indexOf('=');
  return { name: text.slice(0, border), value: text.slice(border + 1) };
}

/**
 * Read from the store piece by piece, as fast as the reader takes it. With `stream: stdout`, raw output is its bytes; throws, which
 * breaks the connection, where some were not kept (decision 68, raw output).
 */
async function* storedBytes(
  { ledger }: ExecutionRoutesDeps,
  { id }: Execution,
  stream: OutputStream | undefined,
): AsyncGenerator<string | Uint8Array> {
  let isRaw = false;
  for await (const chunk of storedOutput(ledger, id, 0)) {
    if (isResultPiece(chunk)) continue;
    const kind = kindOfEvents(chunk.sse);
    if (stream !== undefined && (kind === 'stderr') !== (stream === 'stderr')) continue;
    isRaw ||= stream === 'stdout' && kind === 'raw';
    if (!isRaw) yield plainText(chunk);
    else
      for (const part of rawParts(chunk.sse)) {
        if (part.kind === 'stdout') yield part.bytes;
        else await breakConnection();
      }
  }
}

type OutputStream = NonNullable<RouteQuery<'readOutput'>['stream']>;

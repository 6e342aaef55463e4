import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID, readPosition } from '@svc/core/execution/event-ids';
import { hasEnded } from '@svc/core/execution/state';
import { refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { cancelExecution } from '../../engine/execution/cancel-execution.ts';
import { plainText } from '../../engine/execution/collected-output.ts';
import { followExecution } from '../../engine/execution/follow-execution.ts';
import { requestedBy } from '../../engine/execution/requested-by.ts';
import { isResultPiece, storedOutput } from '../../engine/execution/stored-output.ts';
import type { Execution, ExecutionFilter } from '../../engine/ports/executions.ts';
import type { HubContext } from '../context.ts';
import { jsonResponse } from '../json-response.ts';
import { endOfPage } from '../routes/bounded-page.ts';
import type { Handlers } from '../routes/handler.ts';
import { callerOf } from '../routes/identity.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { collect } from './answer-buffered.ts';
import { describeExecution, withData } from './describe.ts';
import { eventStream } from './event-stream.ts';
import { executionLinks } from './links.ts';

type Routes = Pick<
  Handlers,
  'listExecutions' | 'showExecution' | 'streamExecution' | 'readOutput' | 'cancelExecution'
>;

/** What callers and members see of executions (decision 20). */
export function executionRoutes(context: HubContext): Routes {
  return {
    async listExecutions({ caller, query }) {
      const { items, ...end } = await context.ledger.list(filterOf(caller, query));
      const described = items.map((one) => describeExecution(one, links(context, one)));
      return { items: described, ...endOfPage(end) };
    },
    async showExecution({ caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query.token);
      const description = {
        ...describeExecution(execution, links(context, execution, query.token)),
        requested_by: await requestedBy(context, execution),
        args: JSON.parse(execution.args) as Record<string, string | null>,
      };
      if (query.without === 'result') return description;
      if (!hasEnded(execution.state) || execution.exitCode === undefined || execution.data !== undefined)
        return jsonResponse(withData(description, execution));
      const collected = await collect(followExecution(context, execution, 0));
      const { text, isTruncated } = collected?.output ?? { text: '', isTruncated: false };
      return { ...description, output: text, truncated: isTruncated || undefined };
    },
    async streamExecution({ request, caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query.token);
      const asked = request.headers.get('last-event-id') ?? query.after ?? '0';
      const after = readPosition(asked);
      if (after === undefined)
        throw refuse('invalid_argument', 'after: the id of an event of this stream expected');
      if (after === END_ID) return new Response(null, { status: 204 });
      context.keepOpen(request);
      return eventStream({
        following: followExecution(context, execution, after.seq - 1),
        request,
        after,
        clock: context.clock,
        headers: { 'X-Execution-Id': id },
        ids: { prefix: '', first: undefined },
        greets: true,
        watch: query.token === undefined ? watchReader(context, request, caller, execution) : undefined,
        onLeave: () => undefined,
        reportBug: context.reportBug,
      });
    },
    async readOutput({ caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query.token);
      // Bun takes an async generator as a body and asks it for more as the reader reads; the types of the DOM do not know it.
      const body = storedText(context, execution) as unknown as ReadableStream;
      return new Response(body, {
        headers: {
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': 'no-store',
          'Content-Disposition': 'attachment',
          'X-Execution-Id': id,
        },
      });
    },
    async cancelExecution({ caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query.token);
      await cancelExecution(context, execution);
      const now = (await context.ledger.find(id)) ?? execution;
      return describeExecution(now, links(context, now, query.token));
    },
  };
}

/** A reader with a read token needs no credential; all others need theirs for as long as they read. */
function watchReader(context: HubContext, request: Request, caller: Caller, execution: Execution) {
  const { credentials } = ROUTES.streamExecution.access;
  const isAllowed = (again: Caller) => accessToExecution(again, execution) === 'allowed';
  return watchCaller(context, caller, () => callerOf(context, request, credentials), isAllowed);
}

/** One code path for what is unknown and what is others' (decision 25). */
async function visible(
  { ledger }: HubContext,
  caller: Caller,
  id: string,
  readToken: string | undefined,
): Promise<Execution> {
  const execution = await ledger.find(id);
  if (readToken !== undefined && execution?.readTokenHash === hashToken(readToken)) return execution;
  const access = accessToExecution(caller, execution);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'not_found' || execution === undefined)
    throw refuse('not_found', 'there is no such execution');
  return execution;
}

function links({ settings }: HubContext, { id }: Execution, readToken?: string) {
  return executionLinks(settings.baseUrl, id, readToken);
}

function filterOf(caller: Caller, query: RouteQuery<'listExecutions'>): ExecutionFilter {
  if (caller.kind === 'anonymous') throw refuse('unauthorized', 'an API key or an access token is needed');
  const { limit, endpoint: slug, status: states, trigger, agent: agentName, from, until, cursor } = query;
  return {
    workspaceId: caller.workspaceId,
    limit,
    ...(caller.kind === 'api_key' ? { callerId: caller.id } : {}),
    ...(slug === undefined ? {} : { slug }),
    ...(states === undefined ? {} : { states }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(agentName === undefined ? {} : { agentName }),
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** Read from the store piece by piece, as fast as the reader takes it. */
async function* storedText({ ledger }: HubContext, { id }: Execution): AsyncGenerator<string> {
  for await (const chunk of storedOutput(ledger, id, 0)) if (!isResultPiece(chunk)) yield plainText(chunk);
}

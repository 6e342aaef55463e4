import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID, readPosition } from '@svc/core/execution/event-ids';
import { EXECUTION_STATES, type ExecutionState, hasEnded } from '@svc/core/execution/state';
import { refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { cancelExecution } from '../../engine/execution/cancel-execution.ts';
import { followExecution } from '../../engine/execution/follow-execution.ts';
import { isResultPiece, storedOutput } from '../../engine/execution/stored-output.ts';
import type { Execution, ExecutionFilter } from '../../engine/ports.ts';
import type { HubContext } from '../context.ts';
import { jsonResponse, objectResponse } from '../json-response.ts';
import type { Handlers } from '../routes/handler.ts';
import { collect } from './answer-buffered.ts';
import { plainText } from './collected-output.ts';
import { describeExecution, withData } from './describe.ts';
import { eventStream } from './event-stream.ts';
import { executionLinks } from './links.ts';

type Routes = Pick<
  Handlers,
  'listExecutions' | 'showExecution' | 'streamExecution' | 'readOutput' | 'cancelExecution'
>;

const MOST_LISTED = 100;
const LISTED = 20;

/** What callers and members see of executions (decision 20). */
export function executionRoutes(context: HubContext): Routes {
  return {
    async listExecutions({ caller, query }) {
      const { items, nextCursor } = await context.ledger.list(filterOf(caller, query));
      const described = items.map((one) => describeExecution(one, links(context, one, null)));
      return objectResponse({ items: described, next_cursor: nextCursor ?? null });
    },
    async showExecution({ caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query);
      const description = describeExecution(execution, links(context, execution, query.get('token')));
      if (!hasEnded(execution.state) || execution.exitCode === undefined || execution.data !== undefined)
        return jsonResponse(withData(description, execution));
      const collected = await collect(followExecution(context, execution, 0));
      const { text, isTruncated } = collected?.output ?? { text: '', isTruncated: false };
      return objectResponse({ ...description, output: text, truncated: isTruncated || undefined });
    },
    async streamExecution({ request, caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query);
      const asked = request.headers.get('last-event-id') ?? query.get('after') ?? '0';
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
        onLeave: () => undefined,
        reportBug: context.reportBug,
      });
    },
    async readOutput({ caller, parameters: { id }, query }) {
      const execution = await visible(context, caller, id, query);
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
      const execution = await visible(context, caller, id, query);
      if (!hasEnded(execution.state)) cancelExecution(context, { execution });
      const now = (await context.ledger.find(id)) ?? execution;
      return objectResponse(describeExecution(now, links(context, now, query.get('token'))), 202);
    },
  };
}

/** One code path for what is unknown and what is others' (decision 25). */
async function visible(
  { ledger }: HubContext,
  caller: Caller,
  id: string,
  query: URLSearchParams,
): Promise<Execution> {
  const execution = await ledger.find(id);
  const readToken = query.get('token');
  if (readToken !== null && execution?.readTokenHash === hashToken(readToken)) return execution;
  const access = accessToExecution(caller, execution);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'not_found' || execution === undefined)
    throw refuse('not_found', 'there is no such execution');
  return execution;
}

function links({ settings }: HubContext, { id }: Execution, readToken: string | null) {
  return executionLinks(settings.baseUrl, id, readToken ?? undefined);
}

function filterOf(caller: Caller, query: URLSearchParams): ExecutionFilter {
  if (caller.kind === 'anonymous') throw refuse('unauthorized', 'an API key or an access token is needed');
  const [slug, state, cursor] = ['endpoint', 'status', 'cursor'].map((name) => query.get(name) ?? undefined);
  return {
    workspaceId: caller.workspaceId,
    limit: limitOf(query.get('limit')),
    ...(caller.kind === 'api_key' ? { callerId: caller.id } : {}),
    ...(slug === undefined ? {} : { slug }),
    ...(state === undefined ? {} : { state: stateOf(state) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function limitOf(text: string | null): number {
  if (text === null) return LISTED;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_LISTED) return limit;
  throw refuse('invalid_argument', `limit: a number from 1 to ${MOST_LISTED} expected`);
}

function stateOf(text: string): ExecutionState {
  const state = EXECUTION_STATES.find((one) => one === text);
  if (state !== undefined) return state;
  throw refuse('invalid_argument', `status: one of ${EXECUTION_STATES.join(', ')} expected`);
}

/** Read from the store piece by piece, as fast as the reader takes it. */
async function* storedText({ ledger }: HubContext, { id }: Execution): AsyncGenerator<string> {
  for await (const chunk of storedOutput(ledger, id, 0)) if (!isResultPiece(chunk)) yield plainText(chunk);
}

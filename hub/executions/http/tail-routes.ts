import { encodeTailEvent, encodeTailEvents } from '@svc/core/api/contract/tail-message';
import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { type Caller, seesEndpoint } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import type { TailFilter } from '@svc/core/tail/tail-filter';
import { may } from '@svc/core/workspace/permissions';
import type { OpenStreams } from '../../accounts/open-streams.ts';
import type { Handlers } from '../../http/handler.ts';
import { callerOf, type IdentityDeps } from '../../http/identity.ts';
import { sseResponse } from '../../http/sse-response.ts';
import { watchCaller } from '../../http/watch-caller.ts';
import type { TailReader, TailReaders } from '../tail/tail-readers.ts';

interface TailRoutesDeps extends IdentityDeps {
  readonly keepOpen: (request: Request) => void;
  readonly openStreams: OpenStreams;
  readonly tailReaders: TailReaders;
}

type Known = Exclude<Caller, { kind: 'anonymous' }>;

/** The output of all executions that the caller may read, as it comes. */
export function tailRoutes(deps: TailRoutesDeps): Pick<Handlers, 'tailOutput'> {
  const { credentials } = ROUTES.tailOutput.access;
  return {
    tailOutput({ request, caller, query }) {
      const known = readerOf(caller);
      const { id: callerId, workspaceId } = known;
      const tail = deps.tailReaders.open({
        workspaceId,
        callerId,
        filter: filterOf(known, query),
        shows: known.rights && ((slug) => seesEndpoint(known, slug)),
      });
      deps.keepOpen(request);
      return sseResponse(
        {
          request,
          clock: deps.clock,
          headers: {},
          subject: {},
          first: encodeTailEvent({ type: 'ready' }),
          watch: watchCaller(
            deps,
            caller,
            () => callerOf(deps, request, credentials),
            (again) => isSame(known, again),
          ),
          onLeave: () => tail.stop(),
          reportBug: deps.reportBug,
        },
        { produce: ({ write }) => produce(tail, write), stop: () => tail.stop() },
      );
    },
  };
}

/** A full socket delays the next batch; meanwhile lines wait in the bounded queue of the reader. */
async function produce(tail: TailReader, write: (events: string) => Promise<void>): Promise<void> {
  for (let batch = await tail.next(); batch !== undefined; batch = await tail.next())
    await write(encodeTailEvents(batch));
}

/** The same rule as for the output of one execution: `accessToExecution`. */
function readerOf(caller: Caller): Known {
  if (caller.kind === 'anonymous') throw refuse('unauthorized', 'an API key or an access token is needed');
  if (caller.kind === 'member' && !may(caller.role, 'endpoint.view'))
    throw refuse('forbidden', 'your role may not view executions');
  return caller;
}

function isSame(before: Known, now: Caller): boolean {
  if (now.kind !== before.kind || now.id !== before.id || now.workspaceId !== before.workspaceId)
    return false;
  if (now.rights?.text !== before.rights?.text) return false;
  return now.kind !== 'member' || may(now.role, 'endpoint.view');
}

/** A key follows only what it started. */
function filterOf(caller: Known, query: RouteQuery<'tailOutput'>): TailFilter {
  const { endpoint: slug, agent: agentName, stream, text } = query;
  return { keyId: caller.kind === 'api_key' ? caller.id : undefined, slug, agentName, stream, text };
}

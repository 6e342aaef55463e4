import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID } from '@svc/core/execution/event-ids';
import { readRunPosition } from '@svc/core/pipeline/stream/run-position';
import { refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../../../accounts/open-streams.ts';
import type { Handlers } from '../../../http/handler.ts';
import { callerOf, type IdentityDeps } from '../../../http/identity.ts';
import { watchCaller } from '../../../http/watch-caller.ts';
import { endOfPage } from '../../../platform/http/bounded-page.ts';
import { openRequest } from '../../webhook/kept-request.ts';
import { cancelRun } from '../cancel-run.ts';
import type { RunDriver } from '../run-driver.ts';
import type { PipelineRun, RunFilter } from '../run-ports.ts';
import { type DescribeRunDeps, describeRun, describeWholeRun } from './describe-run.ts';
import { runLinks } from './run-links.ts';
import { type RunStreamDeps, runStream } from './run-stream.ts';
import { visibleRun } from './visible-run.ts';

export interface RunRoutesDeps extends RunStreamDeps, IdentityDeps, DescribeRunDeps {
  readonly driver: RunDriver;
  readonly keepOpen: (request: Request) => void;
  readonly openStreams: OpenStreams;
}

type Routes = Pick<
  Handlers,
  'listPipelineRuns' | 'showPipelineRun' | 'streamPipelineRun' | 'readRunRequest' | 'cancelPipelineRun'
>;

/** Pipeline runs for callers and members (decisions 20 and 43). */
export function pipelineRunRoutes(deps: RunRoutesDeps): Routes {
  return {
    async listPipelineRuns({ caller, query }) {
      const { items, ...end } = await deps.runs.list(filterOf(caller, query));
      const described = items.map((run) => describeRun(run, runLinks(deps, run.id)));
      return { items: described, ...endOfPage(end) };
    },
    async showPipelineRun({ caller, parameters: { id }, query: { token } }) {
      const run = await visibleRun(deps, caller, id, token);
      return await describeWholeRun(deps, run, runLinks(deps, id, token), token);
    },
    async streamPipelineRun({ request, caller, parameters: { id }, query }) {
      const run = await visibleRun(deps, caller, id, query.token);
      const after = readRunPosition(request.headers.get('last-event-id') ?? query.after ?? '0');
      if (after === undefined)
        throw refuse('invalid_argument', 'after: the id of an event of this stream expected');
      if (after === END_ID) return new Response(null, { status: 204 });
      deps.keepOpen(request);
      return await runStream(deps, {
        run,
        request,
        after,
        statusUrl: runLinks(deps, id, query.token).statusUrl,
        headers: { 'X-Run-Id': id },
        ids: { prefix: '', first: undefined },
        greets: true,
        withNews: query.events === 'nodes',
        watch: query.token === undefined ? watchReader(deps, request, caller, run) : undefined,
        onLeave: () => undefined,
      });
    },
    async readRunRequest({ caller, parameters: { id } }) {
      const run = await visibleRun(deps, caller, id);
      const sealed = await deps.runs.sealedRequest(id);
      if (sealed === undefined)
        throw refuse('not_found', 'this run did not begin with a signed call, or with one that is not kept');
      return openRequest(deps.vault, run, sealed);
    },
    async cancelPipelineRun({ caller, parameters: { id }, query }) {
      const run = await visibleRun(deps, caller, id, query.token);
      await cancelRun(deps, run);
      const now = (await deps.runs.find(id)) ?? run;
      return describeRun(now, runLinks(deps, id, query.token));
    },
  };
}

/** A reader with a read token needs no credential; other readers need a valid one as long as they read. */
function watchReader(deps: RunRoutesDeps, request: Request, caller: Caller, run: PipelineRun) {
  const { credentials } = ROUTES.streamPipelineRun.access;
  const isAllowed = (again: Caller) => accessToExecution(again, run) === 'allowed';
  return watchCaller(deps, caller, () => callerOf(deps, request, credentials), isAllowed);
}

function filterOf(caller: Caller, query: RouteQuery<'listPipelineRuns'>): RunFilter {
  if (caller.kind === 'anonymous') throw refuse('unauthorized', 'an API key or an access token is needed');
  const { limit, pipeline: slug, status: state, cursor } = query;
  return {
    workspaceId: caller.workspaceId,
    limit,
    ...(caller.kind === 'api_key' ? { callerId: caller.id } : {}),
    ...(slug === undefined ? {} : { slug }),
    ...(state === undefined ? {} : { state }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

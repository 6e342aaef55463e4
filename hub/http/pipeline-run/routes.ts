import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID } from '@svc/core/execution/event-ids';
import { readRunPosition } from '@svc/core/pipeline/stream/run-position';
import { refuse } from '@svc/core/refusal';
import { cancelRun } from '../../engine/pipeline/cancel-run.ts';
import type { PipelineRun, RunFilter } from '../../engine/ports/pipeline-runs.ts';
import type { HubContext } from '../context.ts';
import { endOfPage } from '../routes/bounded-page.ts';
import type { Handlers } from '../routes/handler.ts';
import { callerOf } from '../routes/identity.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { openRequest } from '../webhook/kept-request.ts';
import { describeRun, describeWholeRun } from './describe-run.ts';
import { runLinks } from './run-links.ts';
import { runStream } from './run-stream.ts';
import { visibleRun } from './visible-run.ts';

type Routes = Pick<
  Handlers,
  'listPipelineRuns' | 'showPipelineRun' | 'streamPipelineRun' | 'readRunRequest' | 'cancelPipelineRun'
>;

/** What callers and members see of pipeline runs (decisions 20 and 43). */
export function pipelineRunRoutes(context: HubContext): Routes {
  return {
    async listPipelineRuns({ caller, query }) {
      const { items, ...end } = await context.runs.list(filterOf(caller, query));
      const described = items.map((run) => describeRun(run, runLinks(context, run.id)));
      return { items: described, ...endOfPage(end) };
    },
    async showPipelineRun({ caller, parameters: { id }, query: { token } }) {
      const run = await visibleRun(context, caller, id, token);
      return await describeWholeRun(context, run, runLinks(context, id, token), token);
    },
    async streamPipelineRun({ request, caller, parameters: { id }, query }) {
      const run = await visibleRun(context, caller, id, query.token);
      const after = readRunPosition(request.headers.get('last-event-id') ?? query.after ?? '0');
      if (after === undefined)
        throw refuse('invalid_argument', 'after: the id of an event of this stream expected');
      if (after === END_ID) return new Response(null, { status: 204 });
      context.keepOpen(request);
      return await runStream(context, {
        run,
        request,
        after,
        statusUrl: runLinks(context, id, query.token).statusUrl,
        headers: { 'X-Run-Id': id },
        ids: { prefix: '', first: undefined },
        greets: true,
        withNews: query.events === 'nodes',
        watch: query.token === undefined ? watchReader(context, request, caller, run) : undefined,
        onLeave: () => undefined,
      });
    },
    async readRunRequest({ caller, parameters: { id } }) {
      const run = await visibleRun(context, caller, id);
      const sealed = await context.runs.sealedRequest(id);
      if (sealed === undefined)
        throw refuse('not_found', 'this run did not begin with a signed call, or with one that is not kept');
      return openRequest(context.vault, run, sealed);
    },
    async cancelPipelineRun({ caller, parameters: { id }, query }) {
      const run = await visibleRun(context, caller, id, query.token);
      await cancelRun(context, run);
      const now = (await context.runs.find(id)) ?? run;
      return describeRun(now, runLinks(context, id, query.token));
    },
  };
}

/** A reader with a read token needs no credential; all others need theirs for as long as they read. */
function watchReader(context: HubContext, request: Request, caller: Caller, run: PipelineRun) {
  const { credentials } = ROUTES.streamPipelineRun.access;
  const isAllowed = (again: Caller) => accessToExecution(again, run) === 'allowed';
  return watchCaller(context, caller, () => callerOf(context, request, credentials), isAllowed);
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

import { ROUTES, type RouteQuery } from '@svc/core/api/routes';
import { accessToControl, accessToExecution, type Caller, seesEndpoint } from '@svc/core/execution/access';
import { END_ID } from '@svc/core/execution/event-ids';
import type { JsonObject } from '@svc/core/pipeline/reference/json-value';
import { splitTriggerFacts } from '@svc/core/pipeline/reference/trigger-facts';
import type { GraphNode } from '@svc/core/pipeline/run/graph';
import { runOutcome } from '@svc/core/pipeline/run/run-outcome';
import { hasRunEnded, type NodeRecord } from '@svc/core/pipeline/run/state';
import { readRunPosition } from '@svc/core/pipeline/stream/run-position';
import { refuse } from '@svc/core/refusal';
import type { OpenStreams } from '../../../accounts/open-streams.ts';
import type { Approvals } from '../../../approvals/approval-ports.ts';
import type { StepExecution } from '../../../executions/execution-ports.ts';
import { executionLinks } from '../../../executions/http/links.ts';
import type { Handlers } from '../../../http/handler.ts';
import { callerOf, type IdentityDeps } from '../../../http/identity.ts';
import { watchCaller } from '../../../http/watch-caller.ts';
import { time } from '../../../platform/http/json-response.ts';
import { endOfPage } from '../../../platform/page-of-items.ts';
import type { Settings } from '../../../platform/settings.ts';
import type { Vault } from '../../../platform/world.ts';
import type { Pipelines } from '../../store/pipeline-store.ts';
import { openRequest } from '../../webhook/kept-request.ts';
import { cancelRun } from '../cancel-run.ts';
import { type Graphs, readGraph } from '../read-graph.ts';
import type { RunDriver } from '../run-driver.ts';
import { shownInput } from '../run-input.ts';
import type { PipelineRun, RunFilter } from '../run-ports.ts';
import type { PipelineRuns } from '../store/run-store.ts';
import { type RunLinks, runLinks } from './run-links.ts';
import { type RunStreamDeps, runStream } from './run-stream.ts';
import { seesSteps, visibleRun } from './visible-run.ts';

interface RunRoutesDeps extends RunStreamDeps, IdentityDeps, DescribeRunDeps {
  readonly driver: RunDriver;
  readonly keepOpen: (request: Request) => void;
  readonly openStreams: OpenStreams;
}

type Routes = Pick<
  Handlers,
  'listPipelineRuns' | 'showPipelineRun' | 'streamPipelineRun' | 'readRunRequest' | 'cancelPipelineRun'
>;

/** Pipeline runs for callers and members (decision 20, asynchronous calls and records; decision 43, calling a pipeline). */
export function pipelineRunRoutes(deps: RunRoutesDeps): Routes {
  return {
    async listPipelineRuns({ caller, query }) {
      const { items, ...end } = await deps.runs.list(filterOf(caller, query));
      const isSeen = await Promise.all(items.map((run) => seesRun(deps, caller, run)));
      const seen = items.filter((_, index) => isSeen[index]);
      const failed = await deps.runs.failedSteps(seen.map(({ id }) => id));
      const described = seen.map((run) => ({
        ...describeRun(run, runLinks(deps, run.id)),
        failed_steps: failed.get(run.id) ?? 0,
      }));
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
        withEvents: query.events === 'nodes',
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
      const run = await visibleRun(deps, caller, id, query.token, accessToControl);
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

async function seesRun({ runs }: RunRoutesDeps, caller: Caller, { id, slug }: PipelineRun): Promise<boolean> {
  return caller.kind !== 'anonymous' && seesEndpoint(caller, slug) && (await seesSteps(runs, caller, id));
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

export interface DescribeRunDeps {
  readonly approvals: Approvals;
  readonly graphs: Graphs;
  readonly pipelines: Pipelines;
  readonly runs: PipelineRuns;
  readonly settings: Settings;
  readonly vault: Vault;
}

/** A run in a list. */
function describeRun(run: PipelineRun, { statusUrl, streamUrl }: RunLinks) {
  const { id, slug, pipelineVersion, trigger, rerunOf, head, cancelAskedAtMs, createdAtMs } = run;
  const { endedAtMs } = head;
  return {
    run_id: id,
    pipeline: slug,
    version: pipelineVersion,
    status: head.state,
    trigger,
    rerun_of: rerunOf,
    stopped_by: head.stoppedBy,
    cancel_asked_at: time(cancelAskedAtMs) ?? undefined,
    created_at: time(createdAtMs),
    started_at: time(head.startedAtMs),
    ended_at: time(endedAtMs),
    duration_ms: endedAtMs === undefined ? undefined : Math.max(0, endedAtMs - createdAtMs),
    status_url: statusUrl,
    stream_url: streamUrl,
  };
}

/** A complete run: the result of each node, and each attempt at a step. */
export async function describeWholeRun(
  deps: DescribeRunDeps,
  run: PipelineRun,
  links: RunLinks,
  readToken: string | undefined,
) {
  const [graph, nodes, input] = await Promise.all([
    readGraph(deps, run),
    deps.runs.nodes(run.id),
    deps.runs.input(run.id),
  ]);
  // After the nodes: a turn commits a node with its execution, so a node that waits for approval has one.
  const executions = await deps.runs.executions(run.id);
  const byStep = Map.groupBy(executions, ({ step }) => step.id);
  const byId = new Map(nodes.map((record) => [record.id, record]));
  const approvals = await pendingApprovals(deps, executions);
  const ids = graph === undefined ? [...byId.keys()] : [...graph.nodes.keys()];
  return {
    ...describeRun(run, links),
    ...outcome(run, byId),
    ...received(input && shownInput(deps.vault, run, input)),
    nodes: ids.flatMap((id) => {
      const record = byId.get(id);
      if (record === undefined) return [];
      const attempts = (byStep.get(id) ?? []).map((execution) =>
        describeAttempt(deps, execution, approvals.get(execution.id), readToken),
      );
      return [{ ...describeNode(record, graph?.nodes.get(id)), attempts }];
    }),
  };
}

/** The declared input, and the facts from the headers of a webhook. */
function received(input: JsonObject | undefined) {
  if (input === undefined) return {};
  const { fields, facts } = splitTriggerFacts(input);
  return { input: fields, webhook: facts };
}

function outcome({ head }: PipelineRun, nodes: ReadonlyMap<string, NodeRecord>) {
  if (!hasRunEnded(head)) return {};
  const ended = runOutcome(head, nodes.get(head.stoppedBy ?? ''));
  return ended.kind === 'result' ? { exit_code: ended.exitCode } : { error: ended.error };
}

function describeNode(record: NodeRecord, node: GraphNode | undefined) {
  const { id, state, attempt, outcome: how, result, error, holds, carried } = record;
  return {
    node: id,
    kind: node?.kind,
    endpoint: node?.kind === 'step' ? node.step.endpoint : undefined,
    status: state,
    attempt,
    outcome: how,
    exit_code: result?.exitCode,
    error,
    holds,
    carried: carried === undefined ? undefined : (true as const),
    retry_at: time(record.retryAtMs) ?? undefined,
    started_at: time(record.startedAtMs),
    ended_at: time(record.endedAtMs),
  };
}

function describeAttempt(
  { settings }: DescribeRunDeps,
  execution: StepExecution,
  approvalId: string | undefined,
  readToken: string | undefined,
) {
  const { id, step, state, exitCode, error, errorCode, agentName, createdAtMs } = execution;
  const links = executionLinks(settings.baseUrl, id, readToken);
  return {
    attempt: step.attempt,
    execution_id: id,
    status: state,
    exit_code: exitCode,
    error,
    code: errorCode,
    agent_name: agentName ?? null,
    approval_id: approvalId,
    created_at: time(createdAtMs),
    started_at: time(execution.startedAtMs),
    ended_at: time(execution.endedAtMs),
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
    output_url: links.outputUrl,
  };
}

/** The pending approvals by execution. */
async function pendingApprovals({ approvals }: DescribeRunDeps, executions: readonly StepExecution[]) {
  const pending = executions.filter(({ state }) => state === 'pending_approval');
  const found = await Promise.all(pending.map(({ id }) => approvals.ofExecution(id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.executionId, one.id] as const])));
}

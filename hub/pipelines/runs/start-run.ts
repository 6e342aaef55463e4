import { needsKnownRequester } from '@svc/core/endpoint/four-eyes';
import type { KnownEndpoints } from '@svc/core/pipeline/definition/check-call';
import type { JsonObject } from '@svc/core/pipeline/reference/json-value';
import { newRun } from '@svc/core/pipeline/run/new-run';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../../accounts/account-ports.ts';
import type { Random } from '../../platform/world.ts';
import { startableWith } from '../check-startable.ts';
import type { RegisteredPipeline } from '../pipeline-ports.ts';
import { type Graphs, graphOfVersion } from './read-graph.ts';
import type { RunFacts, WithRun } from './run-ports.ts';
import { type RunStarted, type StoreRunDeps, storeRun } from './store-run.ts';

export type StartRunDeps = { readonly random: Random; readonly hubId: string } & StoreRunDeps &
  Parameters<typeof startableWith>[0] & { readonly graphs: Graphs };

/** An authorized call of a pipeline with validated input. */
export interface RunRequest extends Pick<RunFacts, 'trigger' | 'callerKind' | 'callerId' | 'readTokenHash'> {
  readonly workspace: Pick<Workspace, 'id' | 'plan'>;
  readonly target: RegisteredPipeline;
  readonly input: JsonObject;
  readonly withRun: WithRun;
}

/**
 * Stores a run as `queued` and starts it. After a refusal nothing runs (decision 14, nothing runs before its record).
 *
 * @throws `stale` when its steps cannot be called now; `concurrency_limited` when too many runs are open;
 *   `unavailable`
 */
export async function startRun(deps: StartRunDeps, request: RunRequest): Promise<RunStarted> {
  const { workspace, target, input, withRun } = request;
  const endpoints = await startableWith(deps, target);
  refuseUnknownCaller(request, endpoints);
  const run = newPipelineRun(deps, request, {
    workspaceId: workspace.id,
    pipelineId: target.id,
    pipelineVersion: target.version,
    slug: target.pipeline.slug,
  });
  const graph = graphOfVersion(deps.graphs, run, target.pipeline);
  return await storeRun(deps, { run, state: newRun(graph, input), graph, endpoints }, { workspace, withRun });
}

/**
 * Its steps may need the approval of another person than the caller, so the caller must be known (decision 60, the file is a
 * floor).
 */
function refuseUnknownCaller({ callerKind }: RunRequest, endpoints: KnownEndpoints): void {
  if (callerKind === 'member' || callerKind === 'api_key') return;
  const [slug] = [...endpoints].find(([, endpoint]) => needsKnownRequester(endpoint)) ?? [];
  if (slug === undefined) return;
  const why = `"${slug}" has to be approved by another person than the caller (allow_self: false)`;
  throw refuse('unauthorized', `${why}: call the pipeline with an API key`);
}

/** The record of a run that starts now at this hub. */
export function newPipelineRun(
  { random, clock, hubId }: Pick<StartRunDeps, 'random' | 'clock' | 'hubId'>,
  request: Pick<RunRequest, 'trigger' | 'callerKind' | 'callerId' | 'readTokenHash'> & {
    readonly rerunOf?: string;
  },
  of: Pick<RunFacts, 'workspaceId' | 'pipelineId' | 'pipelineVersion' | 'slug'>,
): RunFacts {
  return {
    ...of,
    id: random.uuid(),
    trigger: request.trigger,
    callerKind: request.callerKind,
    callerId: request.callerId,
    rerunOf: request.rerunOf,
    readTokenHash: request.readTokenHash,
    hubId,
    createdAtMs: clock.nowMs(),
  };
}

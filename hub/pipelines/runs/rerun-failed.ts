import { type FieldProblem, refuseFields } from '@svc/core/api/field-problem';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { checkInput } from '@svc/core/pipeline/input/check-input';
import type { JsonObject } from '@svc/core/pipeline/reference/json-value';
import { splitTriggerFacts, withTriggerFacts } from '@svc/core/pipeline/reference/trigger-facts';
import type { Graph } from '@svc/core/pipeline/run/graph';
import { retainedRun } from '@svc/core/pipeline/run/new-run';
import { runAgain } from '@svc/core/pipeline/run/rerun';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import { refuse } from '@svc/core/refusal';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import { startableWith } from '../check-startable.ts';
import type { Pipelines } from '../store/pipeline-store.ts';
import { graphOfVersion } from './read-graph.ts';
import { shownInput } from './run-input.ts';
import type { PipelineRun } from './run-ports.ts';
import { newPipelineRun, type RunRequest, type StartRunDeps } from './start-run.ts';
import { type RunStarted, storeRun } from './store-run.ts';

type RerunDeps = StartRunDeps & { readonly pipelines: Pipelines };

/** A request to rerun: its source, and the steps to repeat besides those that did not succeed. */
export interface RerunRequest
  extends Pick<RunRequest, 'workspace' | 'callerKind' | 'callerId' | 'readTokenHash' | 'withRun'> {
  readonly old: PipelineRun;
  /** Of the person who asks; undefined: their role decides. */
  readonly rights: EndpointRights | undefined;
  readonly from?: readonly string[];
  /** New values for the secret fields of the input, which are not kept. */
  readonly secrets?: JsonObject;
}

/**
 * Starts a new run of the same version with the same input. Successful steps do not run again: their outputs are copied.
 *
 * @throws `stale` while the old run continues, when its pipeline was deleted, and when its version was removed or can no longer
 * run; `forbidden` for a step that the rights do not cover; `invalid_argument` for an unknown step, and for a secret field without a new value
 */
export async function rerunFailed(
  deps: RerunDeps,
  { old, workspace, rights, from = [], secrets = {}, withRun, ...by }: RerunRequest,
): Promise<RunStarted> {
  const pipeline = await pipelineOf(deps, old);
  refuseBeyondRights(rights, pipeline);
  const endpoints = await startableWith(deps, { workspaceId: old.workspaceId, pipeline });
  const graph = graphOfVersion(deps.graphs, old, pipeline);
  refuseUnknownSteps(graph, from);
  const input = await inputAgain(deps, old, pipeline, secrets);
  const nodes = await deps.runs.nodes(old.id);
  const state = runAgain(graph, retainedRun({ input, head: old.head, nodes }), from);
  const { workspaceId, pipelineId, pipelineVersion, slug } = old;
  const request = { ...by, trigger: 'rerun', rerunOf: old.id } as const;
  const run = newPipelineRun(deps, request, { workspaceId, pipelineId, pipelineVersion, slug });
  return await storeRun(deps, { run, state, graph, endpoints }, { workspace, withRun });
}

/** The version of the old run. */
async function pipelineOf({ pipelines }: RerunDeps, old: PipelineRun): Promise<Pipeline> {
  if (!hasRunEnded(old.head)) throw refuse('stale', `the run is ${old.head.state}: it has to end first`);
  if ((await pipelines.byId(old.pipelineId)) === undefined)
    throw refuse('stale', 'its pipeline was deleted: no run of it begins any more');
  const version = await pipelines.version(old.pipelineId, old.pipelineVersion);
  if (version === undefined)
    throw refuse('stale', 'the version of the pipeline that it ran is kept no longer');
  return version.pipeline;
}

/** The present pipeline may have other steps than the version that runs again (decision 87, rights per endpoint). */
function refuseBeyondRights(rights: RerunRequest['rights'], { nodes }: Pipeline): void {
  if (rights === undefined) return;
  if (nodes.every((node) => node.kind !== 'step' || rights.may('run', node.endpoint))) return;
  throw refuse('forbidden', 'the run has a step that you have no right to run');
}

function refuseUnknownSteps(graph: Graph, from: readonly string[]): void {
  const unknown = from.filter((step) => graph.nodes.get(step)?.kind !== 'step');
  if (unknown.length > 0)
    throw refuseFields([{ path: ['from'], message: `the run has no step "${unknown.join('", "')}"` }]);
}

/** The stored input, with the new values of its secret fields and no others. */
async function inputAgain(
  { runs, vault }: RerunDeps,
  old: PipelineRun,
  { trigger }: Pipeline,
  secrets: JsonObject,
): Promise<JsonObject> {
  const recorded = await runs.input(old.id);
  const shown = recorded && shownInput(vault, old, recorded);
  if (shown === undefined) throw refuse('stale', 'its input is not there any more, or cannot be opened');
  const { fields, facts = {} } = splitTriggerFacts(shown);
  const hidden = Object.keys(fields).filter((name) => fields[name] === null);
  const missing = hidden.filter((name) => (secrets[name] ?? null) === null);
  const more = Object.keys(secrets).filter((name) => !hidden.includes(name));
  refuseInput([
    ...missing.map((name) => ({ path: [name], message: 'it was secret and is not stored: give it again' })),
    ...more.map((name) => ({ path: [name], message: 'it is kept as it was, and cannot be another' })),
  ]);
  const checked = checkInput(trigger.inputSchema, { ...fields, ...secrets });
  if (checked.kind === 'input') return withTriggerFacts(checked.input, facts);
  refuseInput(checked.problems);
  throw new Error('a problem expected');
}

function refuseInput(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  throw refuseFields(problems.map(({ path, message }) => ({ path: ['input', ...path], message })));
}

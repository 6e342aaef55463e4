import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { type Graph, graphOf } from '@svc/core/pipeline/run/graph';
import type { Pipelines } from '../store/pipeline-store.ts';
import type { RunFacts } from './run-ports.ts';

export type GraphDeps = { readonly pipelines: Pipelines } & { readonly graphs: Graphs };

/** A cache of the last used graphs, because many runs use the same few versions. */
export class Graphs {
  readonly #byVersion = new Map<string, Graph>();
  readonly #most: number;

  constructor(most = 200) {
    this.#most = most;
  }

  get(key: string): Graph | undefined {
    const graph = this.#byVersion.get(key);
    if (graph === undefined) return undefined;
    this.#byVersion.delete(key);
    this.#byVersion.set(key, graph);
    return graph;
  }

  set(key: string, graph: Graph): void {
    this.#byVersion.set(key, graph);
    const [oldest = ''] = this.#byVersion.keys();
    if (this.#byVersion.size > this.#most) this.#byVersion.delete(oldest);
  }
}

type OfVersion = Pick<RunFacts, 'pipelineId' | 'pipelineVersion'>;

/** The graph of a run's version; undefined: the version was removed. */
export async function readGraph(
  { pipelines, graphs }: GraphDeps,
  run: OfVersion,
): Promise<Graph | undefined> {
  const known = graphs.get(keyOf(run));
  if (known !== undefined) return known;
  const version = await pipelines.version(run.pipelineId, run.pipelineVersion);
  return version && graphOfVersion(graphs, run, version.pipeline);
}

/** The graph of a loaded version; runs of one version share it. */
export function graphOfVersion(graphs: Graphs, run: OfVersion, pipeline: Pipeline): Graph {
  const known = graphs.get(keyOf(run));
  if (known !== undefined) return known;
  const graph = graphOf(pipeline);
  graphs.set(keyOf(run), graph);
  return graph;
}

function keyOf({ pipelineId, pipelineVersion }: OfVersion): string {
  return `${pipelineId} ${pipelineVersion}`;
}

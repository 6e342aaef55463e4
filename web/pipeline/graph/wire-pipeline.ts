import { definitionOfPipeline, storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import type { Answer } from '../../api/read.ts';

export type WirePipeline = Answer<'showPipeline'>;

/** The pipeline in the form of core, for the editor. A literal secret is not in it; a reference by name is. */
export function pipelineOf({ slug, description, tags, mcp, trigger, nodes, edges }: WirePipeline): Pipeline {
  return storedPipeline({
    ...{ slug, trigger, nodes, edges },
    ...(description !== null && { description }),
    ...(tags !== null && { tags }),
    ...(mcp !== null && { mcp }),
  });
}

/** The body of `POST /pipelines` and of `POST /pipelines/check`. */
export function bodyOf(pipeline: Pipeline) {
  return definitionOfPipeline(pipeline);
}

/** The body of `PATCH /pipelines/{slug}`: null removes what the pipeline does not have, an absent secret is kept. */
export function changeOf(pipeline: Pipeline, version: number) {
  const { trigger, description, tags, mcp } = pipeline;
  const { type, public: isPublic, inputSchema, secret } = trigger;
  return {
    ...definitionOfPipeline(pipeline),
    version,
    description: description ?? null,
    tags: tags ?? null,
    mcp: mcp ?? null,
    trigger: {
      type,
      public: isPublic,
      input_schema: inputSchema.map(({ name, type: kind, required }) => ({ name, type: kind, required })),
      ...(secret !== undefined && { secret }),
    },
  };
}

/** A new pipeline: only its trigger. */
export function emptyPipeline(slug: string): Pipeline {
  return { slug, trigger: { type: 'manual', public: false, inputSchema: [] }, nodes: [], edges: [] };
}

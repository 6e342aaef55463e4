import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';

/** A registered pipeline with its origin. Endpoints and pipelines share one namespace (decision 2, slugs). */
export interface RegisteredPipeline {
  readonly id: string;
  readonly workspaceId: string;
  readonly source: 'config' | 'api';
  /** The agent name that registered it, for `config` (decision 31, which agent runs an endpoint). */
  readonly registeredBy: string | undefined;
  readonly version: number;
  /** It contains the trigger's secret only as `$svc:NAME`; `signingSecret` resolves it. */
  readonly pipeline: Pipeline;
  /**
   * The trigger's own secret, sealed for its id as `trigger_secret`; it belongs to no version (decision 43, calling a pipeline).
   */
  readonly sealedSecret: string | undefined;
  /** The wire form, JSON (`definitionOfPipeline`). */
  readonly definition: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** One version of a pipeline, without its definition. It outlives the pipeline. */
export interface PipelineVersionHead {
  readonly version: number;
  readonly source: RegisteredPipeline['source'];
  readonly createdAtMs: number;
}

/** One version of a pipeline. A run uses the version that it began with. */
export interface PipelineVersion extends PipelineVersionHead {
  readonly definition: string;
  readonly pipeline: Pipeline;
}

/** A pipeline that an agent announces; the definition is its canonical wire form. */
export interface AnnouncedPipeline {
  readonly slug: string;
  readonly definition: string;
}

/** A new pipeline from the API, or its next version. */
export interface PipelineDraft {
  readonly slug: string;
  readonly definition: string;
  readonly sealedSecret: string | undefined;
}

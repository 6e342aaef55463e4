import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';

/** A pipeline as it is registered, and where it comes from. Endpoints and pipelines share one namespace (decision 2). */
export interface RegisteredPipeline {
  readonly id: string;
  readonly workspaceId: string;
  readonly source: 'config' | 'api';
  /** The agent name that registered it, for `config` (decision 31). */
  readonly registeredBy: string | undefined;
  readonly version: number;
  /** The secret of its trigger is there only as `$svc:NAME`; `signingSecret` finds out what it is. */
  readonly pipeline: Pipeline;
  /** The secret that was sent with it, sealed for its id as `trigger_secret`; it belongs to no version (decision 43). */
  readonly sealedSecret: string | undefined;
  /** The wire form, JSON (`definitionOfPipeline`). */
  readonly definition: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** That a pipeline was something from one change to the next. It outlives the pipeline. */
export interface PipelineVersionHead {
  readonly version: number;
  readonly source: RegisteredPipeline['source'];
  readonly createdAtMs: number;
}

/** What it was; runs keep to theirs. */
export interface PipelineVersion extends PipelineVersionHead {
  readonly definition: string;
  readonly pipeline: Pipeline;
}

/** What one agent announces for one pipeline of its file; the definition is its wire form, canonical. */
export interface AnnouncedPipeline {
  readonly slug: string;
  readonly definition: string;
}

/** One of the API as it is to be stored, or its next version. */
export interface PipelineDraft {
  readonly slug: string;
  readonly definition: string;
  readonly sealedSecret: string | undefined;
}

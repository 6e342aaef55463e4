import type { RegisteredPipeline } from '../pipeline-ports.ts';

export interface PipelineRow {
  id: string;
  workspace_id: string;
  slug: string;
  source: RegisteredPipeline['source'];
  registered_by: string | null;
  version: number;
  sealed_secret: string | null;
  created_at_ms: number;
  updated_at_ms: number;
}

/** The row outlives its pipeline, because runs refer to their version. */
export interface PipelineVersionRow {
  pipeline_id: string;
  version: number;
  workspace_id: string;
  source: RegisteredPipeline['source'];
  /** The wire form, JSON, without the secret of the trigger. */
  definition: string;
  created_at_ms: number;
  /** When the removal of the pipeline was first noticed. */
  gone_since_ms?: number | null;
}

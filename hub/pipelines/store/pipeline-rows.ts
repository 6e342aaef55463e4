import type { AuditEntry } from '@svc/core/audit/entry';
import { storedPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { recordOf } from '../../platform/db/unit/record-of-row.ts';
import type {
  AnnouncedPipeline,
  PipelineDraft,
  PipelineVersion,
  PipelineVersionHead,
  RegisteredPipeline,
} from '../pipeline-ports.ts';
import type { PipelineRow, PipelineVersionRow } from './table.ts';

/** A pipeline and its current definition. */
export interface CurrentPipeline extends PipelineRow {
  readonly definition: string;
}

export function registeredOf(row: CurrentPipeline): RegisteredPipeline {
  const { slug: _, ...registered } = recordOf(row);
  return { ...registered, pipeline: pipelineOf(row.definition) };
}

/** The row of a pipeline from the API. */
export function createdRow(
  id: string,
  draft: PipelineDraft,
  { workspaceId, atMs }: AuditEntry,
): CurrentPipeline {
  return {
    id,
    workspace_id: workspaceId,
    slug: draft.slug,
    source: 'api',
    registered_by: null,
    version: 1,
    sealed_secret: draft.sealedSecret ?? null,
    created_at_ms: atMs,
    updated_at_ms: atMs,
    definition: draft.definition,
  };
}

/** The row of a pipeline from a file, whose secret can only be a name. */
export function announcedPipelineRow(
  id: string,
  { slug, definition }: AnnouncedPipeline,
  agent: { readonly workspaceId: string; readonly agentName: string; readonly nowMs: number },
): CurrentPipeline {
  return {
    id,
    workspace_id: agent.workspaceId,
    slug,
    source: 'config',
    registered_by: agent.agentName,
    version: 1,
    sealed_secret: null,
    created_at_ms: agent.nowMs,
    updated_at_ms: agent.nowMs,
    definition,
  };
}

/** The current version of the row. */
export function versionRow(row: CurrentPipeline): PipelineVersionRow {
  const { id, version, workspace_id, source, definition, updated_at_ms } = row;
  return { pipeline_id: id, version, workspace_id, source, definition, created_at_ms: updated_at_ms };
}

export function pipelineHeadOf(row: Pick<PipelineVersionRow, 'version' | 'source' | 'created_at_ms'>) {
  const { version, source, created_at_ms } = row;
  return { version, source, createdAtMs: created_at_ms } satisfies PipelineVersionHead;
}

export function pipelineVersionOf(row: PipelineVersionRow): PipelineVersion {
  return { ...pipelineHeadOf(row), definition: row.definition, pipeline: pipelineOf(row.definition) };
}

function pipelineOf(definition: string): Pipeline {
  return storedPipeline(JSON.parse(definition) as WireDefinition);
}

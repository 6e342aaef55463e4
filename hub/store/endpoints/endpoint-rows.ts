import type { AuditEntry } from '@svc/core/audit/entry';
import type {
  Announced,
  EndpointDraft,
  EndpointVersion,
  RegisteredEndpoint,
} from '../../engine/ports/endpoints.ts';
import type { EndpointVersionRow } from '../tables.ts';
import { overridesOf } from './definitions.ts';
import type { CurrentEndpoint } from './plan-registration.ts';

/** An agent name that registers what is in its file. */
export interface Registrant {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly nowMs: number;
}

/** One that an agent has in its file. */
export function announcedRow(
  id: string,
  { slug, definitionHash, definition }: Announced,
  registrant: Registrant,
): CurrentEndpoint {
  return {
    id,
    workspace_id: registrant.workspaceId,
    slug,
    source: 'config',
    registered_by: registrant.agentName,
    version: 1,
    created_at_ms: registrant.nowMs,
    updated_at_ms: registrant.nowMs,
    definition_hash: definitionHash,
    definition,
    overrides: null,
  };
}

/** The next version of one, as its file has it now. */
export function changedTo(from: CurrentEndpoint, to: Announced, nowMs: number): CurrentEndpoint {
  const { definition, definitionHash } = to;
  return {
    ...from,
    version: from.version + 1,
    updated_at_ms: nowMs,
    definition,
    definition_hash: definitionHash,
  };
}

/** One of the API. */
export function createdFrom(
  id: string,
  draft: EndpointDraft,
  { workspaceId, atMs }: AuditEntry,
): CurrentEndpoint {
  return {
    id,
    workspace_id: workspaceId,
    source: 'api',
    registered_by: null,
    version: 1,
    created_at_ms: atMs,
    updated_at_ms: atMs,
    ...columnsOf(draft),
  };
}

/** What a change may change. */
export function columnsOf({ slug, definitionHash, definition, overrides }: EndpointDraft) {
  const isOverridden = Object.keys(overrides).length > 0;
  return {
    slug,
    definition_hash: definitionHash,
    definition,
    overrides: isOverridden ? JSON.stringify(overrides) : null,
  };
}

/** What it may not. */
export function rowOf({ id, workspaceId, source, registeredBy, createdAtMs }: RegisteredEndpoint) {
  return {
    id,
    workspace_id: workspaceId,
    source,
    registered_by: registeredBy ?? null,
    created_at_ms: createdAtMs,
  };
}

/** The version that the row has. */
export function versionOf(row: CurrentEndpoint): EndpointVersionRow {
  return { ...row, endpoint_id: row.id, created_at_ms: row.updated_at_ms };
}

export function readVersion(row: EndpointVersionRow): EndpointVersion {
  return {
    version: row.version,
    source: row.source ?? 'config',
    definitionHash: row.definition_hash,
    definition: row.definition,
    overrides: overridesOf(row.overrides),
    createdAtMs: row.created_at_ms,
  };
}

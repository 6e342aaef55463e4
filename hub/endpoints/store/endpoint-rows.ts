import type { AuditEntry } from '@svc/core/audit/entry';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { type Exposing, nextExposure, type SecretExposure, UNNAMED_SECRETS } from '@svc/core/secret/grant';
import type {
  Announced,
  EndpointVersion,
  EndpointVersionDraft,
  RegisteredEndpoint,
  Registering,
} from '../endpoint-ports.ts';
import { overridesOf } from './definitions.ts';
import type { CurrentEndpoint } from './plan-registration.ts';
import type { EndpointVersionRow } from './table.ts';

/** The agent name that registers its file. */
export interface Registrant {
  readonly workspaceId: string;
  readonly agentName: string;
  readonly process: Registering | undefined;
  readonly nowMs: number;
}

/** The row of a new endpoint from an agent's file. */
export function announcedEndpointRow(
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
    ...registeredBy(registrant),
    secret_exposure: exposureText(undefined, definition, registrant.nowMs),
  };
}

function registeredBy({ process }: Registrant) {
  return { registered_token: process?.tokenId ?? null, registered_instance: process?.instance ?? null };
}

/** The row of the next version of an endpoint from a file. */
export function changedTo(from: CurrentEndpoint, to: Announced, registrant: Registrant): CurrentEndpoint {
  const { definition, definitionHash } = to;
  const { nowMs } = registrant;
  return {
    ...from,
    version: from.version + 1,
    updated_at_ms: nowMs,
    definition,
    definition_hash: definitionHash,
    ...registeredBy(registrant),
    secret_exposure: exposureText(exposureOf(from), definition, nowMs),
  };
}

/** The row of a new endpoint from the API. */
export function createdFrom(
  id: string,
  draft: EndpointVersionDraft,
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
    secret_exposure: null,
    registered_token: null,
    registered_instance: null,
    ...columnsOf(draft),
  };
}

/** The columns that a change sets. */
export function columnsOf({ slug, definitionHash, definition, overrides }: EndpointVersionDraft) {
  const isOverridden = Object.keys(overrides).length > 0;
  return {
    slug,
    definition_hash: definitionHash,
    definition,
    overrides: isOverridden ? JSON.stringify(overrides) : null,
  };
}

/** The columns that never change. */
export function endpointRow(registered: RegisteredEndpoint) {
  const { id, workspaceId, source, registeredBy, createdAtMs, registrant, exposure } = registered;
  return {
    id,
    workspace_id: workspaceId,
    source,
    registered_by: registeredBy ?? null,
    created_at_ms: createdAtMs,
    registered_token: registrant?.tokenId ?? null,
    registered_instance: registrant?.instance ?? null,
    secret_exposure: exposure === undefined ? null : JSON.stringify(exposure),
  };
}

/** The current version of the row. */
export function endpointVersionRow(row: CurrentEndpoint): EndpointVersionRow {
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
    registrant: registrantOf(row),
  };
}

/** Undefined for an old version without this field, and for one from the API. */
export function registrantOf({
  registered_token: tokenId,
  registered_instance: instance,
}: Pick<EndpointVersionRow, 'registered_token' | 'registered_instance'>): Registering | undefined {
  return tokenId === null || instance === null ? undefined : { tokenId, instance };
}

/** Matches `$svc:NAME` in a command. A false match only causes a needless question to an admin. */
const NAMED = /\$svc:([A-Za-z_][A-Za-z0-9_]{0,63})/g;

/** The secrets that an agent's file exposes to public calls or schedules; undefined: none, or an endpoint of the API. */
export function exposureOf(row: CurrentEndpoint): SecretExposure | undefined {
  if (row.source === 'api') return undefined;
  if (row.secret_exposure !== null) return JSON.parse(row.secret_exposure) as SecretExposure;
  // The row is older than this column, or an older hub wrote it.
  return nextExposure(undefined, exposing(row.definition), row.created_at_ms);
}

/** The exposure of the next version, as stored. */
function exposureText(before: SecretExposure | undefined, definition: string, nowMs: number): string | null {
  const exposure = nextExposure(before, exposing(definition), nowMs);
  return exposure === undefined ? null : JSON.stringify(exposure);
}

/** Considers only the file, because a member decided on overrides through the API. */
function exposing(text: string): Exposing {
  const definition = JSON.parse(text) as Record<string, unknown>;
  const command = typeof definition.command === 'string' ? definition.command : '';
  const named = [...command.matchAll(NAMED)].flatMap(([, name]) => name ?? []);
  // A hosted command gets all secrets for the hosted runner, named or not.
  const unnamed = definition.agent_name === HOSTED_AGENT ? [UNNAMED_SECRETS] : [];
  return {
    secrets: [...new Set([...named, ...unnamed])],
    isPublic: definition.public === true,
    isScheduled: typeof definition.schedule === 'string',
  };
}

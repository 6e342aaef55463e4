import { hash } from 'node:crypto';
import type { ExpectedVersion } from '@svc/core/api/expected-version';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditDetails, AuditEntry, AuditSource } from '@svc/core/audit/entry';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { codeDetails } from '@svc/core/endpoint/explain';
import {
  decideEndpointChange,
  decideEndpointRemoval,
  decideNewEndpoint,
  type EndpointChange,
  type EndpointFieldChanges,
  type ManagedEndpoint,
} from '@svc/core/endpoint/managed/decide-endpoint';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { type Refusal, refuse } from '@svc/core/refusal';
import { type OlderHubsDeps, refuseOlderHubs } from '../cluster/refuse-older-hubs.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { EndpointVersionDraft, RegisteredEndpoint } from './endpoint-ports.ts';
import type { Endpoints } from './store/endpoint-store.ts';

export interface EndpointDeps extends OlderHubsDeps {
  readonly endpoints: Endpoints;
  readonly clock: Clock;
  readonly random: Random;
}

/** The number of attempts. Each lost attempt means that another request stored a change first. */
const ATTEMPTS = 50;

/** The source of the change, and the workspace. */
export interface EndpointChangeSource {
  readonly workspaceId: string;
  readonly by: AuditSource;
}

/**
 * Creates an endpoint through the API; refuses one that svc.yaml would not allow, and a slug that is taken.
 *
 * @param more further details for the audit entry
 */
export async function createEndpoint(
  deps: EndpointDeps,
  who: EndpointChangeSource,
  fields: WireDefinition,
  more: AuditDetails = {},
): Promise<RegisteredEndpoint> {
  const decided = decideNewEndpoint(fields);
  await refuseUnenforced(deps, decided.endpoint);
  const id = deps.random.uuid();
  const { slug } = decided.endpoint;
  const details = {
    agent_name: decided.endpoint.agentName ?? null,
    ...codeDetails(decided.endpoint),
    ...more,
  };
  const entry = entryOf(deps, who, 'endpoint.created', { id, slug, details });
  if ((await deps.endpoints.create(id, draftOf(decided), entry)) === 'slug_taken') throw slugTaken(slug);
  return created(await deps.endpoints.byId(id));
}

interface WantedChange {
  readonly changes: EndpointFieldChanges;
  readonly expected: ExpectedVersion;
  /** Refuses a change that the rights of the person do not cover; undefined: every change is allowed. */
  readonly refuseBeyond?: ((before: ManagedEndpoint, after: EndpointChange) => void) | undefined;
}

/** Changes an endpoint, or overrides its file. Without a version from the caller it decides again after a concurrent change. */
export async function changeEndpoint(
  deps: EndpointDeps,
  who: EndpointChangeSource,
  slug: string,
  { changes, expected, refuseBeyond }: WantedChange,
): Promise<RegisteredEndpoint> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const current = await find(deps, who, slug);
    const before = managed(current);
    const decided = decideEndpointChange(before, changes, expected);
    refuseBeyond?.(before, decided);
    await refuseUnenforced(deps, decided.endpoint);
    const draft = draftOf(decided);
    if (isSame(current, draft)) return current;
    const fields = Object.keys(changes).filter((field) => changes[field] !== undefined);
    const about = {
      id: current.id,
      slug,
      details: { version: current.version + 1, fields, ...codeDetails(decided.endpoint) },
    };
    const stored = await deps.endpoints.change(current, draft, entryOf(deps, who, 'endpoint.changed', about));
    if (stored === 'slug_taken') throw slugTaken(draft.slug);
    if (stored === 'stored') return created(await deps.endpoints.byId(current.id));
  }
  throw changedTooOften();
}

/** Removes an endpoint of the API. Running executions continue, and its versions stay for the executions that used them. */
export async function deleteEndpoint(
  deps: EndpointDeps,
  who: EndpointChangeSource,
  slug: string,
  expected: ExpectedVersion,
): Promise<void> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const current = await find(deps, who, slug);
    decideEndpointRemoval(managed(current), expected);
    const about = { id: current.id, slug, details: { version: current.version } };
    const entry = entryOf(deps, who, 'endpoint.deleted', about);
    if ((await deps.endpoints.remove(current, entry)) === 'stored') return;
  }
  throw changedTooOften();
}

/** A hub that does not know the key cannot read the definition (decision 108, hubs of an earlier version). */
async function refuseUnenforced(deps: OlderHubsDeps, { approval }: Endpoint): Promise<void> {
  if (approval !== undefined) await refuseOlderHubs(deps, 'passkeyApproval');
}

async function find(
  { endpoints }: EndpointDeps,
  { workspaceId }: EndpointChangeSource,
  slug: string,
): Promise<RegisteredEndpoint> {
  const found = await endpoints.find(workspaceId, slug);
  if (found === undefined) throw refuse('not_found', 'there is no such endpoint');
  return found;
}

function managed(registered: RegisteredEndpoint): ManagedEndpoint {
  return { ...registered, definition: JSON.parse(registered.definition) as WireDefinition };
}

function draftOf({ endpoint, definition, overrides }: EndpointChange): EndpointVersionDraft {
  const text = canonicalDefinition(definition);
  return { slug: endpoint.slug, definition: text, definitionHash: hash('sha256', text), overrides };
}

function isSame(current: RegisteredEndpoint, draft: EndpointVersionDraft): boolean {
  return (
    current.definition === draft.definition &&
    canonicalDefinition(current.overrides) === canonicalDefinition(draft.overrides)
  );
}

interface About {
  readonly id: string;
  readonly slug: string;
  readonly details: AuditDetails;
}

function entryOf(
  { clock }: EndpointDeps,
  { workspaceId, by }: EndpointChangeSource,
  action: AuditAction,
  { id, slug, details }: About,
): AuditEntry {
  const target = { kind: 'endpoint', id, name: slug } as const;
  return { ...by, workspaceId, atMs: clock.nowMs(), action, target, details };
}

/** Another request may have deleted it meanwhile. */
function created(endpoint: RegisteredEndpoint | undefined): RegisteredEndpoint {
  if (endpoint === undefined) throw refuse('not_found', 'the endpoint was deleted meanwhile');
  return endpoint;
}

function slugTaken(slug: string): Refusal {
  return refuse('slug_taken', `another endpoint or pipeline of the workspace is called "${slug}"`, { slug });
}

function changedTooOften(): Refusal {
  return refuse('unavailable', 'this endpoint is being changed by too many at once');
}

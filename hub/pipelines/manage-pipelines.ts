import type { ExpectedVersion } from '@svc/core/api/expected-version';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditDetails, AuditEntry, AuditSource } from '@svc/core/audit/entry';
import {
  decideNewPipeline,
  decidePipelineChange,
  decidePipelineRemoval,
  type ManagedPipeline,
  type PipelineChange,
  type PipelineFieldChanges,
} from '@svc/core/pipeline/managed/decide-pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import type { WireDefinition } from '@svc/core/protocol/definition';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { PipelineDraft, RegisteredPipeline } from './pipeline-ports.ts';
import { surroundingsOf } from './pipeline-problems.ts';
import type { Pipelines } from './store/pipeline-store.ts';
import { sealedTriggerSecret } from './webhook-secret.ts';

type ManageDeps = {
  readonly endpoints: Endpoints;
  readonly agents: AgentDirectory;
  readonly knownAgents: KnownAgents;
  readonly credentials: Credentials;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
} & { readonly pipelines: Pipelines };

/** The number of attempts. Each lost attempt means that another request stored a change first. */
const ATTEMPTS = 50;

/** The source of the change, and the workspace. */
export interface PipelineChangeSource {
  readonly workspaceId: string;
  readonly by: AuditSource;
}

/** Creates a pipeline; refuses one that could not run now, and a slug that is taken. */
export async function createPipeline(
  deps: ManageDeps,
  who: PipelineChangeSource,
  fields: PipelineFieldChanges,
): Promise<RegisteredPipeline> {
  const decided = decideNewPipeline(fields, await surroundingsOf(deps, who.workspaceId));
  const id = deps.random.uuid();
  const { slug, nodes } = decided.pipeline;
  const entry = entryOf(deps, who, 'pipeline.created', { id, slug, details: { nodes: nodes.length } });
  const draft = draftOf(deps, { id, workspaceId: who.workspaceId, sealedSecret: undefined }, decided);
  if ((await deps.pipelines.create(id, draft, entry)) === 'slug_taken') throw slugTaken(slug);
  return present(await deps.pipelines.byId(id));
}

/** Changes a pipeline of the API. Without a version from the caller it decides again after a concurrent change. */
export async function changePipeline(
  deps: ManageDeps,
  who: PipelineChangeSource,
  slug: string,
  { changes, expected }: { readonly changes: PipelineFieldChanges; readonly expected: ExpectedVersion },
): Promise<RegisteredPipeline> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const current = await findPipeline(deps, who.workspaceId, slug);
    const surroundings = await surroundingsOf(deps, who.workspaceId);
    const decided = decidePipelineChange(managed(current), changes, { ...surroundings, expected });
    const draft = draftOf(deps, current, decided);
    if (draft.definition === current.definition && draft.sealedSecret === current.sealedSecret)
      return current;
    const fields = Object.keys(changes).filter((field) => changes[field] !== undefined);
    const about = { id: current.id, slug, details: { version: current.version + 1, fields } };
    const entry = entryOf(deps, who, 'pipeline.changed', about);
    const stored = await deps.pipelines.change(current, draft, entry);
    if (stored === 'slug_taken') throw slugTaken(draft.slug);
    if (stored === 'stored') return present(await deps.pipelines.byId(current.id));
  }
  throw changedTooOften();
}

/** Removes a pipeline of the API. Its runs continue, and its versions stay for them. */
export async function deletePipeline(
  deps: ManageDeps,
  who: PipelineChangeSource,
  slug: string,
  expected: ExpectedVersion,
): Promise<void> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const current = await findPipeline(deps, who.workspaceId, slug);
    decidePipelineRemoval(managed(current), expected);
    const about = { id: current.id, slug, details: { version: current.version } };
    const entry = entryOf(deps, who, 'pipeline.deleted', about);
    if ((await deps.pipelines.remove(current, entry)) === 'stored') return;
  }
  throw changedTooOften();
}

export async function findPipeline(
  { pipelines }: { readonly pipelines: Pipelines },
  workspaceId: string,
  slug: string,
): Promise<RegisteredPipeline> {
  const found = await pipelines.find(workspaceId, slug);
  if (found === undefined) throw refuse('not_found', 'there is no such pipeline');
  return found;
}

function managed(registered: RegisteredPipeline): ManagedPipeline {
  return { ...registered, definition: JSON.parse(registered.definition) as WireDefinition };
}

function draftOf(
  { vault }: { readonly vault: Vault },
  current: Pick<RegisteredPipeline, 'id' | 'workspaceId' | 'sealedSecret'>,
  { pipeline: { slug }, definition, secret }: PipelineChange,
): PipelineDraft {
  const kept = secret.kind === 'kept' ? current.sealedSecret : undefined;
  const sealedSecret = secret.kind === 'new' ? vault.seal(secret.value, sealedTriggerSecret(current)) : kept;
  return { slug, definition: canonicalDefinition(definition), sealedSecret };
}

interface About {
  readonly id: string;
  readonly slug: string;
  readonly details: AuditDetails;
}

function entryOf(
  { clock }: { readonly clock: Clock },
  { workspaceId, by }: PipelineChangeSource,
  action: AuditAction,
  { id, slug, details }: About,
): AuditEntry {
  const target = { kind: 'pipeline', id, name: slug } as const;
  return { ...by, workspaceId, atMs: clock.nowMs(), action, target, details };
}

/** Another request may have deleted it meanwhile. */
function present(pipeline: RegisteredPipeline | undefined): RegisteredPipeline {
  if (pipeline === undefined) throw refuse('not_found', 'the pipeline was deleted meanwhile');
  return pipeline;
}

function slugTaken(slug: string): Refusal {
  return refuse('slug_taken', `another endpoint or pipeline of the workspace is called "${slug}"`, { slug });
}

function changedTooOften(): Refusal {
  return refuse('unavailable', 'this pipeline is being changed by too many at once');
}

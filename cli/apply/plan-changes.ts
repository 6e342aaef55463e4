import { ApiError } from '@svc/core/api/client/api-error';
import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Config } from '@svc/core/config/parse-config';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import { definitionOf } from '@svc/core/protocol/definition';
import { fieldChanges } from '../endpoints/roll-back.ts';

type Definition = Readonly<Record<string, unknown>>;

/** The definition that the service has under a name; undefined: none. */
interface Current {
  readonly definition: Definition;
  readonly version: number;
  /** The agent in whose file it stands; null: it was created through the API. */
  readonly agent: string | null;
}

/** The action for one endpoint or pipeline of the file. */
export interface PlannedChange {
  readonly kind: 'endpoint' | 'pipeline';
  readonly name: string;
  /** `refused`: it stands in the file of an agent, which would undo the change. */
  readonly action: 'create' | 'change' | 'unchanged' | 'refused';
  /** The keys that differ, with null where there is none. */
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly agent: string | null;
  /** The version that the change is based on. */
  readonly version: number | undefined;
  readonly definition: Definition;
}

/** Compares a file with the service: endpoints first, because pipelines call them. */
export async function planChanges(
  api: ApiClient,
  { endpoints, pipelines }: Config,
): Promise<PlannedChange[]> {
  const planned: PlannedChange[] = [];
  for (const endpoint of endpoints) {
    const current = await orUndefined(currentEndpoint(api, endpoint.slug));
    planned.push(plan('endpoint', endpoint.slug, definitionOf(endpoint), current));
  }
  for (const pipeline of pipelines) {
    const current = await orUndefined(currentPipeline(api, pipeline.slug));
    planned.push(plan('pipeline', pipeline.slug, definitionOfPipeline(pipeline), current));
  }
  return planned;
}

function plan(
  kind: PlannedChange['kind'],
  name: string,
  definition: Definition,
  current: Current | undefined,
): PlannedChange {
  const from = current?.definition ?? {};
  const changed = Object.keys(fieldChanges(from, definition));
  const changes = Object.fromEntries(
    changed.map((key) => [key, { from: from[key] ?? null, to: definition[key] ?? null }]),
  );
  const about = { kind, name, changes, definition, agent: current?.agent ?? null, version: current?.version };
  if (current === undefined) return { ...about, action: 'create' };
  if (changed.length === 0) return { ...about, action: 'unchanged' };
  return { ...about, action: current.agent === null ? 'change' : 'refused' };
}

async function currentEndpoint(api: ApiClient, name: string): Promise<Current | undefined> {
  const [shown, { items }] = await Promise.all([
    api.showEndpoint({ parameters: { name } }),
    api.listEndpointVersions({ parameters: { name }, query: { limit: 1 } }),
  ]);
  const [newest] = items;
  if (newest === undefined) return undefined;
  const agent = newest.source === 'config' ? shown.agent_name : null;
  return { definition: newest.definition, version: newest.version, agent };
}

async function currentPipeline(api: ApiClient, slug: string): Promise<Current | undefined> {
  const { version, source, agent_name: agent } = await api.showPipeline({ parameters: { slug } });
  const { definition } = await api.showPipelineVersion({ parameters: { slug, version: String(version) } });
  return { definition, version, agent: source === 'config' ? (agent ?? 'default') : null };
}

async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

import { formatPath } from '@svc/core/config/validation-issue';
import type { KnownEndpoints } from '@svc/core/pipeline/definition/check-call';
import { surroundingsIssues } from '@svc/core/pipeline/definition/check-surroundings';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { refuse } from '@svc/core/refusal';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { agentNames } from './pipeline-problems.ts';

type StartableDeps = {
  readonly agents: AgentDirectory;
  readonly knownAgents: KnownAgents;
  readonly credentials: Credentials;
} & {
  readonly lookups: Pick<CallLookups, 'endpoint'>;
};

/** A pipeline, or an earlier version of it, with the workspace in which its steps run. */
export interface Startable {
  readonly workspaceId: string;
  readonly pipeline: Pipeline;
}

/**
 * Returns the endpoints of the steps, from the cache of calls. Throws `stale` when a pipeline that was valid when saved
 * cannot run now: an endpoint was removed or takes other arguments, or an agent never connected.
 */
export async function startableWith(deps: StartableDeps, startable: Startable): Promise<KnownEndpoints> {
  const { issues, endpoints } = await checkStartable(deps, startable);
  if (issues.length === 0) return endpoints;
  const problems = issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => ({ path: formatPath(path), message }));
  const texts = problems.map(({ path, message }) => `${path}: ${message}`);
  const message = `the pipeline "${startable.pipeline.slug}" cannot run as things are now: ${texts.join('; ')}`;
  throw refuse('stale', message, { problems });
}

async function checkStartable(deps: StartableDeps, { workspaceId, pipeline }: Startable) {
  const steps = pipeline.nodes.filter((node) => node.kind === 'step');
  const endpoints = await endpointsOf(
    deps,
    workspaceId,
    steps.map(({ endpoint }) => endpoint),
  );
  const namesAgents = steps.some(({ agentName }) => agentName !== undefined);
  const agents = namesAgents ? await agentNames(deps, workspaceId) : undefined;
  return { endpoints, issues: surroundingsIssues(pipeline, { endpoints, agents }) };
}

const MAX_PROBLEMS = 20;

async function endpointsOf(
  { lookups }: StartableDeps,
  workspaceId: string,
  slugs: readonly string[],
): Promise<KnownEndpoints> {
  const found = await Promise.all(
    [...new Set(slugs)].map(async (slug) => [slug, await lookups.endpoint(workspaceId, slug)] as const),
  );
  return new Map(found.flatMap(([slug, one]) => (one === undefined ? [] : [[slug, one.endpoint] as const])));
}

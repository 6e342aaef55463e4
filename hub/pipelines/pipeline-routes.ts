import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import { refuse } from '@svc/core/refusal';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type Principal, seesSlug } from '../http/principal.ts';
import { entityTag, ifMatch, reply } from '../platform/http/reply.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import {
  describeIssue,
  describePipeline,
  describePipelineVersion,
  describeSummary,
  describeVersionHead,
} from './describe-pipeline.ts';
import { changePipeline, createPipeline, deletePipeline, findPipeline } from './manage-pipelines.ts';
import type { PipelineVersionHead, RegisteredPipeline } from './pipeline-ports.ts';
import { pipelineProblems, surroundingsOf } from './pipeline-problems.ts';
import type { Pipelines } from './store/pipeline-store.ts';

export interface PipelineRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly knownAgents: KnownAgents;
  readonly pipelines: Pipelines;
  readonly random: Random;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly vault: Vault;
}

type Routes = Pick<
  Handlers,
  | 'listPipelines'
  | 'createPipeline'
  | 'checkPipeline'
  | 'showPipeline'
  | 'changePipeline'
  | 'deletePipeline'
  | 'listPipelineVersions'
  | 'showPipelineVersion'
>;

const MAX_PROBLEMS = 100;

/**
 * Pipelines from files and from the API (decision 33, the file is the source of its endpoints; decision 40, the definition of a
 * pipeline).
 */
export function pipelineRoutes(deps: PipelineRoutesDeps): Routes {
  return {
    async listPipelines({ acting, query }) {
      const { workspace } = acting;
      const registeredHere = await deps.pipelines.list(workspace.id);
      const all = registeredHere.filter(
        ({ pipeline: { slug, tags = [] } }) =>
          seesSlug(acting, slug) && (query.tag === undefined || tags.includes(query.tag)),
      );
      const { items, next_cursor } = pageOf(all, ({ pipeline }) => pipeline.slug, query);
      const problemsOf = await pipelineProblems(deps, workspace.id, items);
      const summary = (registered: RegisteredPipeline) =>
        describeSummary(deps, workspace.username, { registered, problems: problemsOf(registered) });
      return { items: items.map(summary), next_cursor };
    },
    async createPipeline({ request, acting, body }) {
      const created = await createPipeline(deps, who(deps, request, acting), body);
      const shown = await describe(deps, acting, created);
      const headers = {
        ...entityTag(created),
        Location: `${deps.settings.hubUrl}/pipelines/${shown.slug}`,
      };
      return reply(201, shown, headers);
    },
    async checkPipeline({ acting, body }) {
      const checked = checkPipeline(body, await surroundingsOf(deps, acting.workspace.id));
      const issues = checked.kind === 'issues' ? checked.issues : [];
      return {
        ok: checked.kind === 'pipeline',
        findings: issues.slice(0, MAX_PROBLEMS).map((issue) => describeIssue(body, issue)),
      };
    },
    async showPipeline({ acting, parameters: { slug } }) {
      const found = await findPipeline(deps, acting.workspace.id, slug);
      if (!seesSlug(acting, slug)) throw refuse('not_found', 'there is no such pipeline');
      return reply(200, await describe(deps, acting, found), entityTag(found));
    },
    async changePipeline({ request, acting, parameters: { slug }, body: { version, ...changes } }) {
      const change = { changes, expected: { version, ...ifMatch(request) } };
      const changed = await changePipeline(deps, who(deps, request, acting), slug, change);
      return reply(200, await describe(deps, acting, changed), entityTag(changed));
    },
    async deletePipeline({ request, acting, parameters: { slug } }) {
      await deletePipeline(deps, who(deps, request, acting), slug, ifMatch(request));
    },
    async listPipelineVersions({ acting, parameters: { slug }, query }) {
      const { id } = await findPipeline(deps, acting.workspace.id, slug);
      const { items, next_cursor } = pageOf(await deps.pipelines.versions(id), newestFirst, query);
      return { items: items.map(describeVersionHead), next_cursor };
    },
    async showPipelineVersion({ acting, parameters: { slug, version } }) {
      const { id } = await findPipeline(deps, acting.workspace.id, slug);
      const found = await deps.pipelines.version(id, Number(version));
      if (found === undefined) throw refuse('not_found', `"${slug}" never had a version ${version}`);
      return describePipelineVersion(found);
    },
  };
}

async function describe(deps: PipelineRoutesDeps, { workspace }: Principal, registered: RegisteredPipeline) {
  const problemsOf = await pipelineProblems(deps, workspace.id, [registered]);
  return describePipeline(deps, workspace.username, { registered, problems: problemsOf(registered) });
}

function who(deps: PipelineRoutesDeps, request: Request, { workspace, member }: Principal) {
  return { workspaceId: workspace.id, by: sourceOf(deps, request, member) };
}

function newestFirst({ version }: PipelineVersionHead): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(16, '0');
}

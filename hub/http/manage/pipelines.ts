import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import { refuse } from '@svc/core/refusal';
import {
  changePipeline,
  createPipeline,
  deletePipeline,
  findPipeline,
} from '../../engine/pipeline/definition/manage-pipelines.ts';
import { problemsIn } from '../../engine/pipeline/definition/pipeline-problems.ts';
import { surroundingsOf } from '../../engine/pipeline/definition/surroundings.ts';
import type { PipelineVersionHead, RegisteredPipeline } from '../../engine/ports/pipelines.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import { entityTag, ifMatch } from '../routes/entity-tag.ts';
import type { Handlers } from '../routes/handler.ts';
import type { Acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';
import { reply } from '../routes/reply.ts';
import {
  describeFinding,
  describePipeline,
  describePipelineVersion,
  describeSummary,
  describeVersionHead,
} from './describe-pipeline.ts';

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

const MOST_TOLD = 100;

/** Pipelines, whether they stand in a file or were made here (decisions 33 and 40). */
export function pipelineRoutes(context: HubContext): Routes {
  return {
    async listPipelines({ acting: { workspace }, query }) {
      const all = await context.pipelines.list(workspace.id);
      const { items, next_cursor } = pageOf(all, ({ pipeline }) => pipeline.slug, query);
      const problemsOf = await problemsIn(context, workspace.id, items);
      const summary = (registered: RegisteredPipeline) =>
        describeSummary(context, workspace.username, { registered, problems: problemsOf(registered) });
      return { items: items.map(summary), next_cursor };
    },
    async createPipeline({ request, acting, body }) {
      const created = await createPipeline(context, who(context, request, acting), body);
      const shown = await describe(context, acting, created);
      const headers = {
        ...entityTag(created),
        Location: `${context.settings.hubUrl}/pipelines/${shown.slug}`,
      };
      return reply(201, shown, headers);
    },
    async checkPipeline({ acting, body }) {
      const checked = checkPipeline(body, await surroundingsOf(context, acting.workspace.id));
      const findings = checked.kind === 'findings' ? checked.findings : [];
      return {
        ok: checked.kind === 'pipeline',
        findings: findings.slice(0, MOST_TOLD).map((finding) => describeFinding(body, finding)),
      };
    },
    async showPipeline({ acting, parameters: { slug } }) {
      const found = await findPipeline(context, acting.workspace.id, slug);
      return reply(200, await describe(context, acting, found), entityTag(found));
    },
    async changePipeline({ request, acting, parameters: { slug }, body: { version, ...changes } }) {
      const change = { changes, expected: { version, ...ifMatch(request) } };
      const changed = await changePipeline(context, who(context, request, acting), slug, change);
      return reply(200, await describe(context, acting, changed), entityTag(changed));
    },
    async deletePipeline({ request, acting, parameters: { slug } }) {
      await deletePipeline(context, who(context, request, acting), slug, ifMatch(request));
    },
    async listPipelineVersions({ acting, parameters: { slug }, query }) {
      const { id } = await findPipeline(context, acting.workspace.id, slug);
      const { items, next_cursor } = pageOf(await context.pipelines.versions(id), newestFirst, query);
      return { items: items.map(describeVersionHead), next_cursor };
    },
    async showPipelineVersion({ acting, parameters: { slug, version } }) {
      const { id } = await findPipeline(context, acting.workspace.id, slug);
      const found = await context.pipelines.version(id, Number(version));
      if (found === undefined) throw refuse('not_found', `"${slug}" never had a version ${version}`);
      return describePipelineVersion(found);
    },
  };
}

async function describe(context: HubContext, { workspace }: Acting, registered: RegisteredPipeline) {
  const problemsOf = await problemsIn(context, workspace.id, [registered]);
  return describePipeline(context, workspace.username, { registered, problems: problemsOf(registered) });
}

function who(context: HubContext, request: Request, { workspace, member }: Acting) {
  return { workspaceId: workspace.id, by: sourceOf(context, request, member) };
}

function newestFirst({ version }: PipelineVersionHead): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(16, '0');
}

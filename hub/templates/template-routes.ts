import { refuse } from '@svc/core/refusal';
import { findTemplates } from '@svc/core/template/find-templates';
import type { Template } from '@svc/core/template/template';
import { wireTemplate, wireTemplates } from '@svc/core/template/wire-template';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import { type DescribeEndpointDeps, describeEndpoint } from '../endpoints/describe-endpoint.ts';

import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { Clock, Random } from '../platform/world.ts';
import { waitsOfAll } from '../secret-grants/list-grants.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { importTemplate } from './import-template.ts';

export interface TemplateRoutesDeps extends DescribeEndpointDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly knownAgents: KnownAgents;
  readonly pipelines: Pipelines;
  readonly random: Random;
  readonly secrets: Secrets;
}

type Routes = Pick<Handlers, 'listTemplates' | 'showTemplate' | 'importTemplate'>;

/** The public gallery, and its import (reference 4.4). */
export function templateRoutes(deps: TemplateRoutesDeps, gallery: () => readonly Template[]): Routes {
  const find = (id: string) => {
    const template = gallery().find(({ templateId }) => templateId === id);
    if (template === undefined) throw refuse('not_found', 'there is no such template');
    return template;
  };
  return {
    listTemplates: ({ query: { search, category } }) =>
      wireTemplates(findTemplates(gallery(), { text: search, category })),
    showTemplate: ({ parameters: { template_id: id } }) => wireTemplate(find(id)),
    async importTemplate({ request, acting: { workspace, member }, body: { template_id: id } }) {
      const who = { workspaceId: workspace.id, by: sourceOf(deps, request, member) };
      const { created, skipped } = await importTemplate(deps, who, find(id));
      const waits = await waitsOfAll(deps, workspace.id, created);
      return {
        created: created.map((one, n) => describeEndpoint(deps, workspace.username, one, waits[n])),
        skipped,
      };
    },
  };
}

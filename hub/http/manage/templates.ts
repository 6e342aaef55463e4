import { refuse } from '@svc/core/refusal';
import { findTemplates } from '@svc/core/template/find-templates';
import type { Template } from '@svc/core/template/template';
import { wireTemplate, wireTemplates } from '@svc/core/template/wire-template';
import { importTemplate } from '../../engine/endpoint/import-template.ts';
import { waitsOfAll } from '../../engine/secret/secret-grants.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { describeEndpoint } from './describe-endpoint.ts';

type Routes = Pick<Handlers, 'listTemplates' | 'showTemplate' | 'importTemplate'>;

/** The gallery, for everybody, and its import (reference 4.4). */
export function templateRoutes(context: HubContext, gallery: () => readonly Template[]): Routes {
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
      const who = { workspaceId: workspace.id, by: sourceOf(context, request, member) };
      const { created, skipped } = await importTemplate(context, who, find(id));
      const waits = await waitsOfAll(context, workspace.id, created);
      return {
        created: created.map((one, n) => describeEndpoint(context, workspace.username, one, waits[n])),
        skipped,
      };
    },
  };
}

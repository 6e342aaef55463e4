import { definitionOf } from '@svc/core/protocol/definition';
import { Refusal, refuse } from '@svc/core/refusal';
import { findTemplates } from '@svc/core/template/find-templates';
import { importPlan, type SkippedEndpoint } from '@svc/core/template/import-plan';
import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import { wireTemplate, wireTemplates } from '@svc/core/template/wire-template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import { type DescribeEndpointDeps, describeEndpoint } from '../endpoints/describe-endpoint.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import {
  createEndpoint,
  type EndpointChangeSource,
  type EndpointDeps,
} from '../endpoints/manage-endpoints.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { waitsOfAll } from '../secret-grants/list-grants.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';

interface TemplateRoutesDeps extends DescribeEndpointDeps, EndpointDeps {
  readonly addressOf: (request: Request) => string;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
  readonly alertRules: AlertRules;
  readonly pipelines: Pipelines;
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
        created: created.map((one, n) => describeEndpoint(deps, workspace, one, waits[n])),
        skipped,
      };
    },
  };
}

type ImportDeps = EndpointDeps & { readonly pipelines: Pipelines };

interface Imported {
  readonly created: readonly RegisteredEndpoint[];
  readonly skipped: readonly SkippedEndpoint[];
}

/**
 * Creates the parts of a template that the workspace lacks (reference 4.4). Each endpoint is created like any other, with an
 * audit entry of its own; the next import completes an interrupted one.
 */
async function importTemplate(
  ports: ImportDeps,
  who: EndpointChangeSource,
  template: Template,
): Promise<Imported> {
  const plan = importPlan(template, await slugsOf(ports, who.workspaceId));
  const created: RegisteredEndpoint[] = [];
  const skipped = [...plan.skipped];
  for (const endpoint of plan.create) {
    const fields = definitionOf(endpoint);
    const made = await createEndpoint(ports, who, fields, { template: template.templateId }).catch(
      unlessTaken,
    );
    if (made === undefined) skipped.push({ slug: endpoint.slug, reason: 'slug_taken' });
    else created.push(made);
  }
  return { created, skipped };
}

async function slugsOf({ endpoints, pipelines }: ImportDeps, workspaceId: string): Promise<Set<string>> {
  const [ofEndpoints, ofPipelines] = await Promise.all([
    endpoints.list(workspaceId),
    pipelines.list(workspaceId),
  ]);
  return new Set([
    ...ofEndpoints.map(({ endpoint }) => endpoint.slug),
    ...ofPipelines.map(({ pipeline }) => pipeline.slug),
  ]);
}

/** Another request has created one with this name meanwhile. */
function unlessTaken(error: unknown): undefined {
  if (error instanceof Refusal && error.code === 'slug_taken') return undefined;
  throw error;
}

let templates: readonly Template[] | undefined;

/** The built-in templates by category and id, parsed at the first request because parsing takes a moment. */
export function gallery(): readonly Template[] {
  templates ??= [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
  return templates;
}

/** The tests of the gallery validate each file, so an unreadable one is a bug. */
function read(id: string, text: string): Template {
  const read = readTemplate(id, text);
  if (read.kind === 'template') return read.template;
  throw new Error(`template ${id}: ${read.problems.map(({ message }) => message).join('; ')}`);
}

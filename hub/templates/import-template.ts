import { definitionOf } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import { importPlan, type SkippedEndpoint } from '@svc/core/template/import-plan';
import type { Template } from '@svc/core/template/template';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { createEndpoint, type InWorkspace } from '../endpoints/manage-endpoints.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import type { Clock, Random } from '../platform/world.ts';

type ImportPorts = {
  readonly endpoints: Endpoints;
  readonly clock: Clock;
  readonly random: Random;
} & { readonly pipelines: Pipelines };

export interface Imported {
  readonly created: readonly RegisteredEndpoint[];
  readonly skipped: readonly SkippedEndpoint[];
}

/**
 * Creates the parts of a template that the workspace lacks (reference 4.4). Each endpoint is created like any other, with an
 * audit entry of its own; the next import completes an interrupted one.
 */
export async function importTemplate(
  ports: ImportPorts,
  who: InWorkspace,
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

async function slugsOf({ endpoints, pipelines }: ImportPorts, workspaceId: string): Promise<Set<string>> {
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

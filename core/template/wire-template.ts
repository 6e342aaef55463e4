import type { Endpoint } from '../endpoint/definition.ts';
import type { TemplateCategory } from './category.ts';
import type { Template } from './template.ts';

/** An endpoint on a card of the gallery, before an import. */
export interface WireTemplateEndpoint {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly approval_required: boolean;
  readonly schedule: string | null;
  /** The managed secrets that the endpoint needs. */
  readonly secrets: readonly string[];
}

/** A template in a list of the API (decision 47, answers of the management API). */
export interface WireTemplateSummary {
  readonly template_id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly category: TemplateCategory;
  readonly endpoints: readonly WireTemplateEndpoint[];
}

/** A single template in an answer of the API. */
export interface WireTemplate extends WireTemplateSummary {
  readonly yaml: string;
}

export function wireTemplates(templates: readonly Template[]): { readonly templates: WireTemplateSummary[] } {
  return { templates: templates.map(wireSummary) };
}

export function wireTemplate(template: Template): WireTemplate {
  return { ...wireSummary(template), yaml: template.yaml };
}

function wireSummary({
  templateId,
  name,
  description,
  tags,
  category,
  endpoints,
}: Template): WireTemplateSummary {
  return {
    template_id: templateId,
    name,
    description,
    tags,
    category,
    endpoints: endpoints.map(wireEndpoint),
  };
}

function wireEndpoint({
  slug,
  description,
  approvalRequired,
  schedule,
  program,
}: Endpoint): WireTemplateEndpoint {
  return {
    slug,
    name: slug,
    description: description ?? null,
    approval_required: approvalRequired,
    schedule: schedule ?? null,
    secrets: program.secrets,
  };
}

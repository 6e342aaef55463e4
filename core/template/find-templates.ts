import type { TemplateCategory } from './category.ts';
import type { Template } from './template.ts';

/** What people narrow the gallery by; an absent part lets everything through. */
export interface TemplateQuery {
  readonly text?: string | undefined;
  readonly category?: TemplateCategory | undefined;
}

/**
 * The templates that a query is about, in their order (reference 4.4).
 *
 * Each word of the text must be in the name, the description, a tag, or the name or description of an endpoint, in whatever
 * case; words narrow, so that "docker logs" finds less than "docker".
 */
export function findTemplates(
  templates: readonly Template[],
  { text = '', category }: TemplateQuery,
): Template[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((template) => {
    if (category !== undefined && template.category !== category) return false;
    const searched = searchedText(template);
    return words.every((word) => searched.includes(word));
  });
}

/** NOTE: Parts are joined by line ends, which no word holds: a word is never found across two of them. */
function searchedText({ name, description, tags, endpoints }: Template): string {
  const ofEndpoints = endpoints.flatMap((endpoint) => [endpoint.slug, endpoint.description ?? '']);
  return [name, description, ...tags, ...ofEndpoints].join('\n').toLowerCase();
}

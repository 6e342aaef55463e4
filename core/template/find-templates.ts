import type { TemplateCategory } from './category.ts';
import type { Template } from './template.ts';

/** The filters of the gallery. An absent filter matches everything. */
export interface TemplateQuery {
  readonly text?: string | undefined;
  readonly category?: TemplateCategory | undefined;
}

/**
 * The templates that match a query, in their order (reference 4.4).
 *
 * Each word of the text must occur in the name, the description, a tag, or the name or description of an endpoint, in any
 * case. More words match less: "docker logs" matches less than "docker".
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

/** NOTE: The parts are joined by line ends, and no word contains one, so a word never matches across two parts. */
function searchedText({ name, description, tags, endpoints }: Template): string {
  const ofEndpoints = endpoints.flatMap((endpoint) => [endpoint.slug, endpoint.description ?? '']);
  return [name, description, ...tags, ...ofEndpoints].join('\n').toLowerCase();
}

import type { Endpoint } from '../endpoint/definition.ts';
import type { Template } from './template.ts';

/** An endpoint of a template that an import leaves out. */
export interface SkippedEndpoint {
  readonly slug: string;
  readonly reason: 'slug_taken';
}

/** The effect of an import of a template. */
export interface ImportPlan {
  readonly create: readonly Endpoint[];
  readonly skipped: readonly SkippedEndpoint[];
}

/**
 * The import of a template into a workspace with these slugs. An existing endpoint or pipeline keeps its slug (reference
 * 4.4).
 */
export function importPlan(
  template: Pick<Template, 'endpoints'>,
  existingSlugs: ReadonlySet<string>,
): ImportPlan {
  const { endpoints } = template;
  return {
    create: endpoints.filter(({ slug }) => !existingSlugs.has(slug)),
    skipped: endpoints
      .filter(({ slug }) => existingSlugs.has(slug))
      .map(({ slug }) => ({ slug, reason: 'slug_taken' })),
  };
}

/** The form of an endpoint's or a pipeline's slug, the last segment of its URL (decision 2, slugs). */
export const SLUG_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The most tags of an endpoint or a pipeline. Each has the form of a slug. */
export const MAX_TAGS = 10;

/** Whether a text can be the slug of an endpoint or a pipeline (decision 2, slugs). */
export function isSlug(text: string): boolean {
  return SLUG_PATTERN.test(text);
}

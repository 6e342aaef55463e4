import type { Endpoint } from '../endpoint/definition.ts';
import type { TemplateCategory } from './category.ts';

/** Endpoints that somebody has written for others, and what the gallery shows of them (reference 2.8). */
export interface Template {
  /** The name of its file without `.yaml`. */
  readonly templateId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly category: TemplateCategory;
  readonly endpoints: readonly Endpoint[];
  /** Its file, comments included: a whole `svc.yaml`. */
  readonly yaml: string;
}

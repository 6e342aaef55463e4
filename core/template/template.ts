import type { Endpoint } from '../endpoint/definition.ts';
import type { TemplateCategory } from './category.ts';

/** A template of the gallery: its entry and its endpoints (reference 2.8). */
export interface Template {
  /** The name of the file without `.yaml`. */
  readonly templateId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly category: TemplateCategory;
  readonly endpoints: readonly Endpoint[];
  /** The whole file, a `svc.yaml`, with its comments. */
  readonly yaml: string;
}

import { canonicalJson } from '../api/json/canonical-json.ts';
import type { WireDefinition } from './definition.ts';

/**
 * The one text of a definition, whatever the order of its keys; its SHA-256 in hexadecimal is the definition's hash
 * (decision 32).
 *
 * The definition comes from `definitionOf`, or from a frame or the store in that form.
 */
export function canonicalDefinition(definition: WireDefinition): string {
  return canonicalJson(definition);
}

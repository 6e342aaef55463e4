import { canonicalJson } from '../api/json/canonical-json.ts';
import type { WireDefinition } from './definition.ts';

/**
 * The canonical text of a definition, whatever the order of its keys. Its SHA-256 in hexadecimal is the hash of the
 * definition (decision 32, commands of a file stay on the agent).
 *
 * The definition comes from `definitionOf`, or from a frame or the store in that form.
 */
export function canonicalDefinition(definition: WireDefinition): string {
  return canonicalJson(definition);
}

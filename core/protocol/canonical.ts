import type { WireDefinition } from './definition.ts';

/**
 * The one text of a definition, whatever the order of its keys; its SHA-256 in hexadecimal is the definition's hash
 * (decision 32).
 *
 * JSON without spaces, the keys of every object in the order of their UTF-16 code units (as RFC 8785). The definition comes
 * from `definitionOf`, or from a frame or the store in that form.
 */
export function canonicalDefinition(definition: WireDefinition): string {
  return JSON.stringify(sorted(definition));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

import type { Endpoint } from '../../endpoint/definition.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import { atValue, type Finding, type Path } from '../finding.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { endpointSchema } from './schema.ts';
import { shapeFindings } from './shape-findings.ts';

/** The endpoint of a definition that stands in no file, or everything that is wrong with it, by path. */
export type CheckedDefinition =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] };

/** Checks a definition by the rules of svc.yaml, the one that YAML itself makes included: NUL stands nowhere. */
export function checkDefinition(definition: WireDefinition): CheckedDefinition {
  const { endpoint, findings } = checkEndpoint(definition, [], () => undefined);
  const nuls = nulFindings(definition, []);
  if (endpoint !== undefined && nuls.length === 0) return { kind: 'endpoint', endpoint };
  return { kind: 'findings', findings: [...nuls, ...shapeFindings(endpointSchema, definition), ...findings] };
}

function nulFindings(value: unknown, path: Path): Finding[] {
  if (typeof value === 'string') {
    const offset = value.indexOf('\0');
    return offset < 0 ? [] : [atValue(path, 'text without NUL expected', offset)];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    nulFindings(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

import { stringify } from 'yaml';

/** A definition in its wire form, as svc.yaml would hold it. Lines are never folded: expressions stay whole. */
export function definitionYaml(definition: object): string {
  return stringify(definition, { lineWidth: 0 });
}

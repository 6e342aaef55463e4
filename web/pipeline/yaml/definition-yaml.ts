import { stringify } from 'yaml';

/** A wire definition as YAML of svc.yaml. Lines are never folded, so that expressions stay whole. */
export function definitionYaml(definition: object): string {
  return stringify(definition, { lineWidth: 0 });
}

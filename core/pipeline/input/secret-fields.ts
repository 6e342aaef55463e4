import type { Argument } from '../../endpoint/definition.ts';
import { referencesIn } from '../reference/template.ts';
import type { Graph } from '../run/graph.ts';

type Endpoints = ReadonlyMap<string, { readonly args: readonly Argument[] }>;

/**
 * The fields of the input that flow, whole or in part, into a secret argument of a step. They are stored sealed like the
 * argument (decision 9, values of a call, and decision 42, references and conditions).
 */
export function secretFields({ nodes }: Graph, endpoints: Endpoints): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const node of nodes.values()) {
    if (node.kind === 'condition') continue;
    const secrets = secretArguments(endpoints, node.step.endpoint);
    for (const [name, template] of node.args) {
      if (!secrets.has(name)) continue;
      for (const reference of referencesIn(template))
        if (reference.from === 'input') fields.add(reference.path[0]);
    }
  }
  return fields;
}

function secretArguments(endpoints: Endpoints, slug: string): ReadonlySet<string> {
  const args = endpoints.get(slug)?.args ?? [];
  return new Set(args.filter(({ secret }) => secret).map(({ name }) => name));
}

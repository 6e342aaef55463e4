import type { Endpoint } from '@svc/core/endpoint/definition';
import type { Overrides } from '@svc/core/endpoint/managed/overrides';

/** Reads the wire form of a definition, the object of svc.yaml, that was checked when it was stored, with what overrides it. */
export type EndpointOf = (definitionJson: string, overrides: Overrides) => Endpoint;

/** A version of an endpoint as it was read. */
export interface KeptDefinition {
  readonly endpoint: Endpoint;
  readonly overrides: Overrides;
}

interface StoredDefinition {
  readonly id: string;
  readonly version: number;
  readonly definition: string;
  readonly overrides: string | null;
}

const MAX_KEPT = 20_000;

/**
 * Definitions that were read already, by endpoint and version: such a pair never comes to mean something else.
 *
 * NOTE: The hash would be a wrong key: an agent of another workspace could announce a hash that is not of its definition.
 */
export class Definitions {
  readonly #endpointOf: EndpointOf;
  readonly #kept = new Map<string, KeptDefinition>();

  constructor(endpointOf: EndpointOf) {
    this.#endpointOf = endpointOf;
  }

  of({ id, version, definition, overrides: text }: StoredDefinition): KeptDefinition {
    const key = `${id} ${version}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const overrides = overridesOf(text);
    const read = { endpoint: this.#endpointOf(definition, overrides), overrides };
    // A Map gives its keys in the order they came: the first is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, read);
    return read;
  }
}

export function overridesOf(text: string | null): Overrides {
  return text === null ? {} : (JSON.parse(text) as Overrides);
}

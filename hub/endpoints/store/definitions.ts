import type { Endpoint } from '@svc/core/endpoint/definition';
import type { EndpointOverrides } from '@svc/core/endpoint/managed/overrides';

/** Reads the wire form of a stored, already checked definition, and applies its overrides. */
export type EndpointOf = (definitionJson: string, overrides: EndpointOverrides) => Endpoint;

/** A parsed version of an endpoint. */
export interface KeptDefinition {
  readonly endpoint: Endpoint;
  readonly overrides: EndpointOverrides;
}

interface StoredDefinition {
  readonly id: string;
  readonly version: number;
  readonly definition: string;
  readonly overrides: string | null;
}

const MAX_KEPT = 20_000;

/**
 * Caches parsed definitions by endpoint and version, a pair that never changes its meaning.
 *
 * NOTE: The hash is no safe key: an agent of another workspace could announce a hash that does not match its definition.
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
    // A Map keeps insertion order, so the first key is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, read);
    return read;
  }
}

export function overridesOf(text: string | null): EndpointOverrides {
  return text === null ? {} : (JSON.parse(text) as EndpointOverrides);
}

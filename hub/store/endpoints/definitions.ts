import type { Endpoint } from '@svc/core/endpoint/definition';

/** Reads the wire form of a definition, the object of svc.yaml, that was checked when it was announced. */
export type EndpointOf = (definitionJson: string) => Endpoint;

const MAX_KEPT = 10_000;

/**
 * Definitions that were read already, by endpoint and version: such a pair never comes to mean something else.
 *
 * NOTE: The hash would be a wrong key: an agent of another workspace could announce a hash that is not of its definition.
 */
export class Definitions {
  readonly #endpointOf: EndpointOf;
  readonly #kept = new Map<string, Endpoint>();

  constructor(endpointOf: EndpointOf) {
    this.#endpointOf = endpointOf;
  }

  of({ id, version, definition }: { id: string; version: number; definition: string }): Endpoint {
    const key = `${id} ${version}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const endpoint = this.#endpointOf(definition);
    // A Map gives its keys in the order they came: the first is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, endpoint);
    return endpoint;
  }
}

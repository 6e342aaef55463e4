import type { Endpoint } from '@svc/core/endpoint/definition';
import { type ReadDefinition, readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import { hashOf } from '../definitions.ts';

const MAX_REMEMBERED = 500;

/** Definitions that came with an order, each compiled once (decision 32, commands of a file stay on the agent). */
export class WholeDefinitions {
  readonly #byHash = new Map<string, Endpoint>();

  /** Refuses a definition whose hash differs from that of the order. */
  read(definition: WireDefinition, hash: string): ReadDefinition {
    const known = this.#byHash.get(hash);
    if (known !== undefined) return { kind: 'endpoint', endpoint: known };
    if (hashOf(definition) !== hash)
      return { kind: 'problems', problems: ['it does not have the hash of the order'] };
    const read = readDefinition(definition);
    if (read.kind === 'endpoint') this.#remember(hash, read.endpoint);
    return read;
  }

  #remember(hash: string, endpoint: Endpoint): void {
    this.#byHash.set(hash, endpoint);
    const [oldest = ''] = this.#byHash.keys();
    if (this.#byHash.size > MAX_REMEMBERED) this.#byHash.delete(oldest);
  }
}

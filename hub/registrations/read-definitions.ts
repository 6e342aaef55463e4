import { type ReadDefinition, readDefinition, type WireDefinition } from '@svc/core/protocol/definition';

/** As many as schedules of one minute may be of: the first fire after a restart reads none again. */
const MAX_KEPT = 20_000;

/**
 * Definitions that were read already. Agents that come back announce what they announced before, those of a fleet the same,
 * and to read one takes longer than all the rest of a hello.
 *
 * NOTE: By their text, not by a hash that an agent names: a text cannot say something else than it says.
 */
export class ReadDefinitions {
  readonly #kept = new Map<string, ReadDefinition>();

  /** @param text the canonical text of the definition */
  of(text: string, definition: WireDefinition): ReadDefinition {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const read = readDefinition(definition);
    // A Map gives its keys in the order they came: the first is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(text, read);
    return read;
  }
}

import { type ReadDefinition, readDefinition, type WireDefinition } from '@svc/core/protocol/definition';

/** The maximum number of schedules in one minute, so that the first fires after a restart parse nothing again. */
const MAX_KEPT = 20_000;

/**
 * Caches parsed definitions. Agents that reconnect announce the same definitions again, and so do the agents of a fleet;
 * parsing takes longer than the rest of a hello.
 *
 * NOTE: The key is the text and not a hash from the agent, which might not match.
 */
export class ReadDefinitions {
  readonly #kept = new Map<string, ReadDefinition>();

  /** @param text the canonical text of the definition */
  of(text: string, definition: WireDefinition): ReadDefinition {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const read = readDefinition(definition);
    // A Map keeps insertion order, so the first key is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(text, read);
    return read;
  }
}

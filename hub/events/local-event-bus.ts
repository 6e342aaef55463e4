import type { EventBus, LiveEventBundle } from './event-bus.ts';

type Hear = (bundle: LiveEventBundle) => void;

/** The bus of a hub that is alone: what happens at another one is not heard here. */
export class LocalEventBus implements EventBus {
  readonly #hearers = new Map<string, Set<Hear>>();

  isHeard(workspaceId: string): boolean {
    return this.#hearers.has(workspaceId);
  }

  publish(workspaceId: string, bundle: LiveEventBundle): void {
    for (const hear of this.#hearers.get(workspaceId) ?? []) hear(bundle);
  }

  subscribe(workspaceId: string, hear: Hear): () => void {
    const hearers = this.#hearers.get(workspaceId) ?? new Set();
    this.#hearers.set(workspaceId, hearers.add(hear));
    return () => {
      hearers.delete(hear);
      if (hearers.size === 0) this.#hearers.delete(workspaceId);
    };
  }
}

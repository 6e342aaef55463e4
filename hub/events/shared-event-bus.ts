import type { HubMembership } from '../cluster/hub-membership.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { EventBus, LiveEventBundle } from './event-bus.ts';
import { LocalEventBus } from './local-event-bus.ts';

/** LiveEvent for whoever listens here, and at other hubs. */
export class SharedEventBus implements EventBus {
  readonly #bus: Bus;
  readonly #roster: HubMembership;
  readonly #local = new LocalEventBus();
  readonly #subscriptions = new Map<string, { count: number; readonly end: () => void }>();

  constructor(bus: Bus, roster: HubMembership) {
    this.#bus = bus;
    this.#roster = roster;
    bus.onState((isConnected) => {
      // What was told meanwhile is gone: whoever listens reads everything anew.
      if (isConnected) for (const id of this.#subscriptions.keys()) this.#local.publish(id, 'overfull');
    });
  }

  isHeard(workspaceId: string): boolean {
    return this.#local.isHeard(workspaceId) || this.#roster.isHeardElsewhere(workspaceId);
  }

  publish(workspaceId: string, bundle: LiveEventBundle): void {
    this.#local.publish(workspaceId, bundle);
    if (!this.#roster.isHeardElsewhere(workspaceId)) return;
    const told = bundle === 'overfull' ? bundle : [...bundle];
    this.#bus.publish(`workspace.${workspaceId}`, { type: 'news', bundle: told });
  }

  subscribe(workspaceId: string, hear: (bundle: LiveEventBundle) => void): () => void {
    const withdraw = this.#local.subscribe(workspaceId, hear);
    const known = this.#subscriptions.get(workspaceId) ?? { count: 0, end: this.#begin(workspaceId) };
    known.count += 1;
    this.#subscriptions.set(workspaceId, known);
    return () => {
      withdraw();
      known.count -= 1;
      if (known.count > 0) return;
      this.#subscriptions.delete(workspaceId);
      known.end();
    };
  }

  #begin(workspaceId: string): () => void {
    const end = this.#bus.subscribe(`workspace.${workspaceId}`, (frame) => {
      if (frame.type === 'news') this.#local.publish(workspaceId, frame.bundle);
    });
    this.#roster.listens(workspaceId, true);
    return () => {
      end();
      this.#roster.listens(workspaceId, false);
    };
  }
}

import type { Roster } from '../cluster/hub-membership.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { NewsBundle, NewsBus } from './event-bus.ts';
import { LocalNewsBus } from './local-event-bus.ts';

/** News for whoever listens here, and at other hubs. */
export class SharedNewsBus implements NewsBus {
  readonly #bus: Bus;
  readonly #roster: Roster;
  readonly #local = new LocalNewsBus();
  readonly #subscriptions = new Map<string, { count: number; readonly end: () => void }>();

  constructor(bus: Bus, roster: Roster) {
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

  publish(workspaceId: string, bundle: NewsBundle): void {
    this.#local.publish(workspaceId, bundle);
    if (!this.#roster.isHeardElsewhere(workspaceId)) return;
    const told = bundle === 'overfull' ? bundle : [...bundle];
    this.#bus.publish(`workspace.${workspaceId}`, { type: 'news', bundle: told });
  }

  subscribe(workspaceId: string, hear: (bundle: NewsBundle) => void): () => void {
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

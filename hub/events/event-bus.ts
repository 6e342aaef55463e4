import type { LiveEvent } from '@svc/core/live-event/live-event';
import type { HubMembership } from '../cluster/hub-membership.ts';
import type { Bus } from '../platform/bus/bus.ts';

/** Several pieces of news of one workspace; `overfull`: there were more than can be told. */
export type LiveEventBundle = readonly LiveEvent[] | 'overfull';

/**
 * Carries news to whoever listens, at whichever hub. Nothing of it is the truth: what is lost on the way is found in the
 * store by whoever looks.
 */
export interface EventBus {
  /** Whether anybody listens to the workspace. Asked with every call: it has to be a look-up in memory. */
  isHeard(workspaceId: string): boolean;
  publish(workspaceId: string, bundle: LiveEventBundle): void;
  /** From now on, in the order in which they were published, until the returned function is called. */
  subscribe(workspaceId: string, hear: (bundle: LiveEventBundle) => void): () => void;
}

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

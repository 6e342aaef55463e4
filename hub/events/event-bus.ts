import type { LiveEvent } from '@svc/core/live-event/live-event';
import type { HubMembership } from '../cluster/hub-membership.ts';
import type { Bus } from '../platform/bus/bus.ts';

/** Several events of one workspace; `overfull`: too many to send. */
export type LiveEventBundle = readonly LiveEvent[] | 'overfull';

/** Carries live events to the listeners of all hubs. Events may be lost; a listener finds the truth in the store. */
export interface EventBus {
  /** Whether a workspace has a listener at any hub. Called with every call, so it is a look-up in memory. */
  hasListener(workspaceId: string): boolean;
  publish(workspaceId: string, bundle: LiveEventBundle): void;
  /** Subscribes in the order of publication, until the returned function is called. */
  subscribe(workspaceId: string, listener: (bundle: LiveEventBundle) => void): () => void;
}

type Listener = (bundle: LiveEventBundle) => void;

/** The event bus of a single hub. */
export class LocalEventBus implements EventBus {
  readonly #listeners = new Map<string, Set<Listener>>();

  hasListener(workspaceId: string): boolean {
    return this.#listeners.has(workspaceId);
  }

  publish(workspaceId: string, bundle: LiveEventBundle): void {
    for (const listener of this.#listeners.get(workspaceId) ?? []) listener(bundle);
  }

  subscribe(workspaceId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(workspaceId) ?? new Set();
    this.#listeners.set(workspaceId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(workspaceId);
    };
  }
}

/** The event bus of several hubs: it publishes to listeners of this hub and of others. */
export class SharedEventBus implements EventBus {
  readonly #bus: Bus;
  readonly #membership: HubMembership;
  readonly #local = new LocalEventBus();
  readonly #subscriptions = new Map<string, { count: number; readonly end: () => void }>();

  constructor(bus: Bus, membership: HubMembership) {
    this.#bus = bus;
    this.#membership = membership;
    bus.onState((isConnected) => {
      // Events sent meanwhile are lost, so listeners read everything again.
      if (isConnected) for (const id of this.#subscriptions.keys()) this.#local.publish(id, 'overfull');
    });
  }

  hasListener(workspaceId: string): boolean {
    return this.#local.hasListener(workspaceId) || this.#membership.hasRemoteListener(workspaceId);
  }

  publish(workspaceId: string, bundle: LiveEventBundle): void {
    this.#local.publish(workspaceId, bundle);
    if (!this.#membership.hasRemoteListener(workspaceId)) return;
    const copy = bundle === 'overfull' ? bundle : [...bundle];
    this.#bus.publish(`workspace.${workspaceId}`, { type: 'news', bundle: copy });
  }

  subscribe(workspaceId: string, listener: (bundle: LiveEventBundle) => void): () => void {
    const withdraw = this.#local.subscribe(workspaceId, listener);
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
    this.#membership.listens(workspaceId, true);
    return () => {
      end();
      this.#membership.listens(workspaceId, false);
    };
  }
}

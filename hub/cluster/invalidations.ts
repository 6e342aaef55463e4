import { BUS_IDS, type Forgotten } from '@svc/core/bus/frame';
import { changedBy, STATE_EVENTS } from '@svc/core/event/state-change';
import type { Bus } from '../platform/bus/bus.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { Clock } from '../platform/world.ts';
import type { HubMembership } from './hub-membership.ts';

/** Changes within this time share a frame: a busy hub reports thousands of executions per second. */
const GATHER_MS = 5;
/** A hub that does not answer by then polls the store soon. */
const REVIEWED_WITHIN_MS = 1_000;

/**
 * Publishes changes of this hub to other hubs, always after the commit, so that they read the store at once instead of at
 * their next poll. Without other hubs on the bus it does almost nothing.
 */
export class Invalidations {
  readonly #bus: Bus;
  readonly #membership: HubMembership;
  readonly #clock: Clock;
  #changed: string[] = [];
  readonly #agentsOf = new Set<string>();

  constructor(bus: Bus, membership: HubMembership, clock: Clock) {
    this.#bus = bus;
    this.#membership = membership;
    this.#clock = clock;
  }

  /** Subscribes to the events that other hubs must know. */
  subscribe(stream: EventStream): void {
    stream.subscribe('lookups_stale', ({ what }) => {
      for (const each of what) this.forgotten(each);
    });
    stream.subscribe('execution_cancel_requested', ({ executionId }) => this.cancelRequested(executionId));
    stream.subscribe('run_cancel_requested', () => this.runCancelRequested());
    stream.subscribe(['agent_connected', 'agent_gone'], ({ workspaceId }) => this.agents(workspaceId));
    stream.subscribe(['host_connected', 'host_gone'], () => this.hosts());
    stream.subscribe(STATE_EVENTS, (event) => this.changed(changedBy(event)));
    stream.subscribe('execution_ended', ({ execution }) => {
      // Another hub may drive the pipeline run.
      if (execution.step !== undefined) this.changed(execution.id);
    });
    stream.subscribe('audit_appended', ({ entry }) => {
      if (entry.action === 'agent_token.revoked') this.revoked();
    });
  }

  forgotten(what: Forgotten): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'forget', what });
  }

  /** The store has a new state of an execution or run. */
  changed(id: string): void {
    if (!this.#membership.hasOthers) return;
    this.#changed.push(id);
    if (this.#changed.length > 1) return;
    this.#later(() => {
      const all = this.#changed;
      this.#changed = [];
      for (let at = 0; at < all.length; at += BUS_IDS)
        this.#bus.publish('all', { type: 'changed', ids: all.slice(at, at + BUS_IDS) });
    });
  }

  /** An agent of the workspace connected to this hub, or disconnected. */
  agents(workspaceId: string): void {
    if (!this.#membership.hasOthers) return;
    this.#agentsOf.add(workspaceId);
    if (this.#agentsOf.size > 1) return;
    this.#later(() => {
      const all = [...this.#agentsOf];
      this.#agentsOf.clear();
      for (let at = 0; at < all.length; at += BUS_IDS)
        this.#bus.publish('all', { type: 'agents', workspaceIds: all.slice(at, at + BUS_IDS) });
    });
  }

  /** The same for a host of the hosted runner. */
  hosts(): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'hosts' });
  }

  /** Agents of these workspaces are about to be asked to move. */
  moves(workspaceIds: readonly string[]): void {
    for (let at = 0; at < workspaceIds.length; at += BUS_IDS)
      this.#bus.publish('all', { type: 'moves', workspaceIds: workspaceIds.slice(at, at + BUS_IDS) });
  }

  /** An execution waits at this hub for an agent that is not connected here. */
  waits(workspaceId: string): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'waits', workspaceId });
  }

  /** A credential was revoked; the caller does not wait for other hubs. */
  revoked(): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'review' });
  }

  cancelRequested(executionId: string): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'cancel_asked', executionId });
  }

  runCancelRequested(): void {
    if (this.#membership.hasOthers) this.#bus.publish('all', { type: 'run_cancel_asked' });
  }

  /**
   * Resolves when every reachable hub has dropped its caches and ended connections that are no longer allowed (decision 44,
   * sign-in).
   */
  async reviewed(): Promise<void> {
    const { others } = this.#membership;
    await Promise.all(others.map((id) => this.#bus.ask(id, { type: 'review' }, REVIEWED_WITHIN_MS)));
  }

  #later(publish: () => void): void {
    this.#clock.at(this.#clock.nowMs() + GATHER_MS, publish);
  }
}

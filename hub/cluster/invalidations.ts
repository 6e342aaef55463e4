import { BUS_IDS, type Forgotten } from '@svc/core/bus/frame';
import type { Bus } from '../platform/bus/bus.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { Clock } from '../platform/world.ts';
import type { HubMembership } from './hub-membership.ts';

/** What changes within this time is told together: a busy hub tells of thousands of executions each second. */
const GATHER_MS = 5;
/** A hub that does not answer by then looks for itself soon. */
const REVIEWED_WITHIN_MS = 1_000;

/**
 * What this hub tells the others, always after its commit, so that they look at the store at once and not when they would have
 * looked anyway. Where no other hub is on the bus it costs a look-up.
 */
export class Invalidations {
  readonly #bus: Bus;
  readonly #roster: HubMembership;
  readonly #clock: Clock;
  #changed: string[] = [];
  readonly #agentsOf = new Set<string>();

  constructor(bus: Bus, roster: HubMembership, clock: Clock) {
    this.#bus = bus;
    this.#roster = roster;
    this.#clock = clock;
  }

  /** Sends on what other hubs have to know of the events of this one. */
  subscribe(stream: EventStream): void {
    stream.subscribe('lookups_stale', ({ what }) => {
      for (const each of what) this.forgotten(each);
    });
    stream.subscribe('execution_cancel_requested', ({ executionId }) => this.cancelAsked(executionId));
    stream.subscribe('run_cancel_requested', () => this.runCancelAsked());
    stream.subscribe(['agent_connected', 'agent_gone'], ({ workspaceId }) => this.agents(workspaceId));
    stream.subscribe(['host_connected', 'host_gone'], () => this.hosts());
    stream.subscribe('execution_ended', ({ execution }) => {
      // Its run may be another hub's.
      if (execution.step !== undefined) this.changed(execution.id);
    });
    stream.subscribe('audit_appended', ({ entry }) => {
      if (entry.action === 'agent_token.revoked') this.revoked();
    });
  }

  forgotten(what: Forgotten): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'forget', what });
  }

  /** Of an execution or a run the store has something new. */
  changed(id: string): void {
    if (!this.#roster.hasOthers) return;
    this.#changed.push(id);
    if (this.#changed.length > 1) return;
    this.#later(() => {
      const all = this.#changed;
      this.#changed = [];
      for (let at = 0; at < all.length; at += BUS_IDS)
        this.#bus.publish('all', { type: 'changed', ids: all.slice(at, at + BUS_IDS) });
    });
  }

  /** An agent of the workspace came here, or left. */
  agents(workspaceId: string): void {
    if (!this.#roster.hasOthers) return;
    this.#agentsOf.add(workspaceId);
    if (this.#agentsOf.size > 1) return;
    this.#later(() => {
      const all = [...this.#agentsOf];
      this.#agentsOf.clear();
      for (let at = 0; at < all.length; at += BUS_IDS)
        this.#bus.publish('all', { type: 'agents', workspaceIds: all.slice(at, at + BUS_IDS) });
    });
  }

  /** The same of a host of the hosted runner. */
  hosts(): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'hosts' });
  }

  /** Agents of these workspaces are about to be asked to go to another hub. */
  moves(workspaceIds: readonly string[]): void {
    for (let at = 0; at < workspaceIds.length; at += BUS_IDS)
      this.#bus.publish('all', { type: 'moves', workspaceIds: workspaceIds.slice(at, at + BUS_IDS) });
  }

  /** Something waits here for an agent that is not here. */
  waits(workspaceId: string): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'waits', workspaceId });
  }

  /** A credential of a connection was ended; nobody waits for what becomes of it. */
  revoked(): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'review' });
  }

  cancelAsked(executionId: string): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'cancel_asked', executionId });
  }

  runCancelAsked(): void {
    if (this.#roster.hasOthers) this.#bus.publish('all', { type: 'run_cancel_asked' });
  }

  /** Settles when every hub that can be reached has dropped what it knew, and ended what was not allowed any more (decision 44). */
  async reviewed(): Promise<void> {
    const { others } = this.#roster;
    await Promise.all(others.map((id) => this.#bus.ask(id, { type: 'review' }, REVIEWED_WITHIN_MS)));
  }

  #later(tell: () => void): void {
    this.#clock.at(this.#clock.nowMs() + GATHER_MS, tell);
  }
}

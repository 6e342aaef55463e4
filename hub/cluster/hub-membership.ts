import { BUS_IDS, type BusFrame } from '@svc/core/bus/frame';
import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/world.ts';

/** How often each says what it said before: who has missed something knows it by then. */
const SAY_AGAIN_MS = 10_000;
/** Whoever was not heard for so long is not there. */
const SILENT_MS = 35_000;

interface Other {
  heardAtMs: number;
  readonly workspaces: Set<string>;
}

/** Which other hubs are on the bus, and in which workspaces somebody follows events there. All of it in memory. */
export class HubMembership {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #own = new Set<string>();
  readonly #others = new Map<string, Other>();
  /** How many hubs. */
  readonly #listening = new Map<string, number>();
  #withdraw = () => {};

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    bus.subscribe('all', (frame, from) => this.#hear(frame, from));
    bus.onState((isConnected) => {
      this.#withdraw();
      for (const hubId of [...this.#others.keys()]) this.#drop(hubId);
      if (isConnected) this.#say({ asks: true });
    });
  }

  get others(): string[] {
    return [...this.#others.keys()];
  }

  get hasOthers(): boolean {
    return this.#others.size > 0;
  }

  /** Asked with every call. */
  isHeardElsewhere(workspaceId: string): boolean {
    return this.#listening.has(workspaceId);
  }

  /** Somebody follows the workspace at this hub, or nobody any more. */
  listens(workspaceId: string, isOn: boolean): void {
    if (isOn) this.#own.add(workspaceId);
    else this.#own.delete(workspaceId);
    this.#bus.publish('all', { type: 'listens', workspaceId, isOn });
  }

  /** The hub stops. */
  leave(): void {
    this.#withdraw();
    this.#bus.publish('all', { type: 'leaves' });
  }

  #hear(frame: BusFrame, from: string): void {
    if (frame.type === 'leaves') this.#drop(from);
    else this.#heed(frame, this.#other(from));
  }

  #heed(frame: BusFrame, other: Other): void {
    if (frame.type === 'listens') this.#note(other, frame.workspaceId, frame.isOn);
    if (frame.type !== 'here') return;
    if (frame.isFirst) this.#void(other);
    for (const workspaceId of frame.workspaces) this.#note(other, workspaceId, true);
    if (frame.asks) this.#say({ asks: false });
  }

  #other(hubId: string): Other {
    const known = this.#others.get(hubId) ?? { heardAtMs: 0, workspaces: new Set() };
    known.heardAtMs = this.#clock.nowMs();
    this.#others.set(hubId, known);
    return known;
  }

  #note({ workspaces }: Other, workspaceId: string, isOn: boolean): void {
    if (workspaces.has(workspaceId) === isOn) return;
    if (isOn) workspaces.add(workspaceId);
    else workspaces.delete(workspaceId);
    const count = (this.#listening.get(workspaceId) ?? 0) + (isOn ? 1 : -1);
    if (count > 0) this.#listening.set(workspaceId, count);
    else this.#listening.delete(workspaceId);
  }

  #void(other: Other): void {
    for (const workspaceId of [...other.workspaces]) this.#note(other, workspaceId, false);
  }

  #drop(hubId: string): void {
    const other = this.#others.get(hubId);
    if (other !== undefined) this.#void(other);
    this.#others.delete(hubId);
  }

  #say({ asks }: { readonly asks: boolean }): void {
    const all = [...this.#own];
    for (let at = 0; at === 0 || at < all.length; at += BUS_IDS) {
      const workspaces = all.slice(at, at + BUS_IDS);
      this.#bus.publish('all', { type: 'here', workspaces, isFirst: at === 0, asks: asks && at === 0 });
    }
    this.#withdraw();
    this.#withdraw = this.#clock.at(this.#clock.nowMs() + SAY_AGAIN_MS, () => {
      this.#dropSilent();
      this.#say({ asks: false });
    });
  }

  #dropSilent(): void {
    const sinceMs = this.#clock.nowMs() - SILENT_MS;
    for (const [hubId, { heardAtMs }] of [...this.#others]) if (heardAtMs < sinceMs) this.#drop(hubId);
  }
}

import { BUS_IDS, type BusFrame } from '@svc/core/bus/frame';
import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/world.ts';

/** The interval at which each hub repeats its state, for hubs that missed a frame. */
const SAY_AGAIN_MS = 10_000;
/** A hub that was silent for this long is treated as gone. */
const SILENT_MS = 35_000;

interface Other {
  lastSeenMs: number;
  readonly workspaces: Set<string>;
}

/** The other hubs on the bus, and the workspaces whose events they follow. Everything is in memory. */
export class HubMembership {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #own = new Set<string>();
  readonly #others = new Map<string, Other>();
  /** The number of other hubs that follow each workspace. */
  readonly #listening = new Map<string, number>();
  #withdraw = () => {};

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    bus.subscribe('all', (frame, from) => this.#onFrame(frame, from));
    bus.onState((isConnected) => {
      this.#withdraw();
      for (const hubId of [...this.#others.keys()]) this.#drop(hubId);
      if (isConnected) this.#publishOwn({ asks: true });
    });
  }

  get others(): string[] {
    return [...this.#others.keys()];
  }

  get hasOthers(): boolean {
    return this.#others.size > 0;
  }

  /** Called with every call, so it only looks into memory. */
  hasRemoteListener(workspaceId: string): boolean {
    return this.#listening.has(workspaceId);
  }

  /** Publishes whether this hub follows a workspace. */
  listens(workspaceId: string, isOn: boolean): void {
    if (isOn) this.#own.add(workspaceId);
    else this.#own.delete(workspaceId);
    this.#bus.publish('all', { type: 'listens', workspaceId, isOn });
  }

  /** The hub stops. The bus is closed next: any later frame would make this hub a member again at the others. */
  leave(): void {
    this.#withdraw();
    this.#bus.publish('all', { type: 'leaves' });
  }

  #onFrame(frame: BusFrame, from: string): void {
    if (frame.type === 'leaves') this.#drop(from);
    else this.#onMembershipFrame(frame, this.#other(from));
  }

  #onMembershipFrame(frame: BusFrame, other: Other): void {
    if (frame.type === 'listens') this.#setListening(other, frame.workspaceId, frame.isOn);
    if (frame.type !== 'here') return;
    if (frame.isFirst) this.#forgetListening(other);
    for (const workspaceId of frame.workspaces) this.#setListening(other, workspaceId, true);
    if (frame.asks) this.#publishOwn({ asks: false });
  }

  #other(hubId: string): Other {
    const known = this.#others.get(hubId) ?? { lastSeenMs: 0, workspaces: new Set() };
    known.lastSeenMs = this.#clock.nowMs();
    this.#others.set(hubId, known);
    return known;
  }

  #setListening({ workspaces }: Other, workspaceId: string, isOn: boolean): void {
    if (workspaces.has(workspaceId) === isOn) return;
    if (isOn) workspaces.add(workspaceId);
    else workspaces.delete(workspaceId);
    const count = (this.#listening.get(workspaceId) ?? 0) + (isOn ? 1 : -1);
    if (count > 0) this.#listening.set(workspaceId, count);
    else this.#listening.delete(workspaceId);
  }

  #forgetListening(other: Other): void {
    for (const workspaceId of [...other.workspaces]) this.#setListening(other, workspaceId, false);
  }

  #drop(hubId: string): void {
    const other = this.#others.get(hubId);
    if (other !== undefined) this.#forgetListening(other);
    this.#others.delete(hubId);
  }

  #publishOwn({ asks }: { readonly asks: boolean }): void {
    const all = [...this.#own];
    for (let at = 0; at === 0 || at < all.length; at += BUS_IDS) {
      const workspaces = all.slice(at, at + BUS_IDS);
      this.#bus.publish('all', { type: 'here', workspaces, isFirst: at === 0, asks: asks && at === 0 });
    }
    this.#withdraw();
    this.#withdraw = this.#clock.at(this.#clock.nowMs() + SAY_AGAIN_MS, () => {
      this.#dropSilent();
      this.#publishOwn({ asks: false });
    });
  }

  #dropSilent(): void {
    const sinceMs = this.#clock.nowMs() - SILENT_MS;
    for (const [hubId, { lastSeenMs }] of [...this.#others]) if (lastSeenMs < sinceMs) this.#drop(hubId);
  }
}

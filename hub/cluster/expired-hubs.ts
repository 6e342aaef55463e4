import { HUB_LEASE_MS } from '@svc/core/execution/recovery';
import type { Clock } from '../platform/world.ts';
import type { Hubs } from './hub-ports.ts';

interface Heartbeat {
  readonly atMs: number;
  /** When this hub saw it first, by its own clock: those of two machines may differ. */
  readonly seenAtMs: number;
}

/** A hub that has not polled for this long cannot declare others dead: its clock has jumped, or its machine was suspended. */
const BLIND_MS = 60_000;

/**
 * Finds hubs that no longer run: they stopped properly, or their heartbeat has not changed for the length of a lease (decision 24,
 * states and takeover).
 */
export class ExpiredHubs {
  readonly #deps: { readonly hubs: Hubs; readonly clock: Clock; readonly hubId: string };
  #heartbeats = new Map<string, Heartbeat>();
  #polledAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: { readonly hubs: Hubs; readonly clock: Clock; readonly hubId: string }) {
    this.#deps = deps;
  }

  /**
   * Restarts all leases. Called when this hub could not write its heartbeat: the database was unavailable, so others could not
   * either.
   */
  restartLeases(): void {
    this.#heartbeats.clear();
  }

  /** The hubs among `owners` that no longer run, and others of which only the heartbeat is left. Called at intervals. */
  async among(owners: readonly string[]): Promise<string[]> {
    const { hubs, clock, hubId } = this.#deps;
    const heartbeats = await hubs.heartbeats();
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - this.#polledAtMs;
    const wasBlind = sinceMs > BLIND_MS || sinceMs < 0;
    this.#polledAtMs = nowMs;
    const seen = new Map<string, Heartbeat>();
    for (const [id, atMs] of heartbeats) {
      const known = this.#heartbeats.get(id);
      seen.set(id, known?.atMs === atMs && !wasBlind ? known : { atMs, seenAtMs: nowMs });
    }
    this.#heartbeats = seen;
    const silent = [...seen].filter(([, { seenAtMs }]) => nowMs - seenAtMs >= HUB_LEASE_MS);
    const gone = owners.filter((id) => !seen.has(id));
    return [...new Set([...gone, ...silent.map(([id]) => id)])].filter((id) => id !== hubId);
  }
}

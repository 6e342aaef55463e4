import { HUB_LEASE_MS } from '@svc/core/execution/recovery';
import type { Clock } from '../platform/world.ts';
import type { Hubs } from './hub-ports.ts';

interface Beat {
  readonly atMs: number;
  /** When this hub saw it first, by its own clock: those of two machines may differ. */
  readonly seenAtMs: number;
}

/** Who has not looked for so long does not know whether others beat: its clock has jumped, or its machine stood still. */
const BLIND_MS = 60_000;

/** Which hubs do not live any more: they stopped in peace, or their beat has not changed for too long (decision 24). */
export class ExpiredHubs {
  readonly #ports: { readonly hubs: Hubs; readonly clock: Clock; readonly hubId: string };
  #beats = new Map<string, Beat>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ports: { readonly hubs: Hubs; readonly clock: Clock; readonly hubId: string }) {
    this.#ports = ports;
  }

  /** This hub could not beat: nor could others, then, where it is the database that was away. They have all their time again. */
  lookAnew(): void {
    this.#beats.clear();
  }

  /** Those of `owners` that do not live, and others of which only the beat is left; to be asked again and again. */
  async among(owners: readonly string[]): Promise<string[]> {
    const { hubs, clock, hubId } = this.#ports;
    const beats = await hubs.beats();
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - this.#lookedAtMs;
    const wasBlind = sinceMs > BLIND_MS || sinceMs < 0;
    this.#lookedAtMs = nowMs;
    const seen = new Map<string, Beat>();
    for (const [id, atMs] of beats) {
      const known = this.#beats.get(id);
      seen.set(id, known?.atMs === atMs && !wasBlind ? known : { atMs, seenAtMs: nowMs });
    }
    this.#beats = seen;
    const silent = [...seen].filter(([, { seenAtMs }]) => nowMs - seenAtMs >= HUB_LEASE_MS);
    const gone = owners.filter((id) => !seen.has(id));
    return [...new Set([...gone, ...silent.map(([id]) => id)])].filter((id) => id !== hubId);
  }
}

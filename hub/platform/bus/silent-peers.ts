import type { BusFrame } from '@svc/core/bus/frame';
import type { BusReply } from './bus.ts';

/** Calls wait for the answers to these, and each of them is always answered. */
const CALLS: ReadonlySet<BusFrame['type']> = new Set(['call', 'take']);

const LATE: BusReply = { kind: 'late' };

/**
 * Hubs that did not answer a call. Later calls for their agents do not wait for them. Any frame from such a hub
 * ends that; each hub sends one at least every ten seconds.
 */
export class SilentPeers {
  readonly #silent = new Set<string>();
  readonly #waiting = new Map<string, Set<(reply: BusReply) => void>>();

  /** Asks a hub, or answers for a silent one. */
  async ask(
    hubId: string,
    { type }: Pick<BusFrame, 'type'>,
    request: () => Promise<BusReply>,
  ): Promise<BusReply> {
    if (!CALLS.has(type)) return await request();
    if (this.#silent.has(hubId)) return LATE;
    const { promise, resolve } = Promise.withResolvers<BusReply>();
    const waiting = this.#waitingFor(hubId);
    waiting.add(resolve);
    void request().then((reply) => {
      if (reply.kind === 'late' && waiting.has(resolve)) this.#fellSilent(hubId);
      resolve(reply);
    });
    try {
      return await promise;
    } finally {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(hubId) === waiting) this.#waiting.delete(hubId);
    }
  }

  responded(hubId: string): void {
    if (this.#silent.size > 0) this.#silent.delete(hubId);
  }

  /** No answer will come, because the broker itself does not respond. */
  giveUpAll(): void {
    for (const waiting of this.#waiting.values()) for (const answer of waiting) answer({ kind: 'lost' });
  }

  forgetAll(): void {
    this.#silent.clear();
  }

  #fellSilent(hubId: string): void {
    this.#silent.add(hubId);
    for (const answer of this.#waiting.get(hubId) ?? []) answer(LATE);
  }

  #waitingFor(hubId: string): Set<(reply: BusReply) => void> {
    const waiting = this.#waiting.get(hubId) ?? new Set();
    this.#waiting.set(hubId, waiting);
    return waiting;
  }
}

import type { BusFrame, BusFrameOf } from '@svc/core/bus/frame';
import { decodeTailMessage, encodeTailMessage } from '@svc/core/bus/tail-message';
import type { TailFilter } from '@svc/core/tail/tail-filter';
import type { TailBatch } from '@svc/core/tail/tail-line';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Clock, Random } from '../../platform/world.ts';
import type { Tails } from './tails.ts';

/** A request is repeated, for hubs that started later or missed it. */
const REPEAT_MS = 5_000;
/** A tail is closed if its request was not repeated for this long, because its hub is gone. */
const EXPIRES_MS = 20_000;
/** Tails that other hubs have open at this one. */
const MAX_TAILS = 500;

interface Served {
  readonly hubId: string;
  readonly close: () => void;
  expiresAtMs: number;
}

interface Wanted {
  readonly frame: BusFrameOf<'tail'>;
  withdraw: () => void;
}

/**
 * Tails across hubs. The hub of a reader publishes the filter. Every other hub sends the lines that match, under the limits of its
 * own tails. Lines may be lost, unlike the output of one execution (decision 29, numbered output).
 */
export class RemoteTails {
  readonly #bus: Bus;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #tails: Tails;
  readonly #wanted = new Set<Wanted>();
  readonly #served = new Map<string, Served>();

  constructor(bus: Bus, { random, clock, tails }: RemoteTailsDeps) {
    this.#bus = bus;
    this.#random = random;
    this.#clock = clock;
    this.#tails = tails;
    bus.subscribe('tails', (frame, from) => this.#onFrame(frame, from));
    bus.onState((isConnected) => {
      if (isConnected) for (const wanted of this.#wanted) this.#request(wanted);
      else for (const tail of [...this.#served.keys()]) this.#end(tail);
    });
  }

  /** Opens the tail at every other hub; the returned function closes it there. */
  open(workspaceId: string, filter: TailFilter, deliver: (batch: TailBatch) => void): () => void {
    const tail = this.#random.uuid();
    const wanted: Wanted = { frame: { type: 'tail', tail, workspaceId, filter }, withdraw: () => {} };
    const unsubscribe = this.#bus.subscribeFeed(tail, (bytes) => {
      const batch = decodeTailMessage(bytes);
      if (batch !== undefined) deliver(batch);
    });
    this.#wanted.add(wanted);
    this.#request(wanted);
    return () => {
      this.#wanted.delete(wanted);
      wanted.withdraw();
      unsubscribe();
      this.#bus.publish('tails', { type: 'untail', tail });
    };
  }

  #request(wanted: Wanted): void {
    this.#bus.publish('tails', wanted.frame);
    wanted.withdraw();
    wanted.withdraw = this.#clock.at(this.#clock.nowMs() + REPEAT_MS, () => this.#request(wanted));
  }

  #onFrame(frame: BusFrame, from: string): void {
    if (frame.type === 'tail') this.#serve(frame, from);
    if (frame.type === 'untail' && this.#served.get(frame.tail)?.hubId === from) this.#end(frame.tail);
  }

  #serve({ tail, workspaceId, filter }: BusFrameOf<'tail'>, hubId: string): void {
    const nowMs = this.#clock.nowMs();
    const expiresAtMs = nowMs + EXPIRES_MS;
    const known = this.#served.get(tail);
    if (known !== undefined) {
      if (known.hubId === hubId) known.expiresAtMs = expiresAtMs;
      return;
    }
    if (this.#served.size >= MAX_TAILS) return;
    const close = this.#tails.open(workspaceId, filter, (batch) =>
      this.#bus.feed(tail, encodeTailMessage(batch)),
    );
    this.#served.set(tail, { hubId, close, expiresAtMs });
    this.#expireLater(tail, expiresAtMs);
  }

  #expireLater(tail: string, atMs: number): void {
    this.#clock.at(atMs, () => {
      const served = this.#served.get(tail);
      if (served === undefined) return;
      if (served.expiresAtMs > this.#clock.nowMs()) this.#expireLater(tail, served.expiresAtMs);
      else this.#end(tail);
    });
  }

  #end(tail: string): void {
    this.#served.get(tail)?.close();
    this.#served.delete(tail);
  }
}

interface RemoteTailsDeps {
  readonly random: Random;
  readonly clock: Clock;
  readonly tails: Tails;
}

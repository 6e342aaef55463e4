import { isTrial } from '@svc/core/alert/lane';
import { nextTryMs } from '@svc/core/alert/retry';
import { Refusal } from '@svc/core/refusal';
import type { Attempt, ClaimedDelivery } from '../alert-ports.ts';
import type { AlertOutbox } from '../store/alert-outbox.ts';
import { type Composed, type ComposePorts, compose } from './compose.ts';
import { type SendOptions, type Sent, send } from './send.ts';

const LOOK_MS = 5_000;
/** For how long a lane is this hub's alone: far longer than sending takes at most. */
const CLAIM_MS = 60_000;
const RECORD_AGAIN_MS = 1_000;
/** Connections at once: of the whole hub, and of one party, so that a receiver that is dead holds up nobody else's alerts. */
const MOST_AT_ONCE = 256;
const MOST_OF_PARTY = 4;

export interface DeliverOptions extends ComposePorts, SendOptions {
  readonly outbox: Pick<AlertOutbox, 'claimDue' | 'tried' | 'release'>;
  /** Makes deliveries of what was told. */
  readonly spread: () => Promise<void>;
  /** From 0 to 1. */
  readonly chance: () => number;
  readonly onProblem: (id: string, problem: string) => void;
}

export interface AlertDeliverer {
  /** Something was told. */
  wake(): void;
  /** Begins nothing more; settles when what is on its way has arrived or not. What takes longer than that is cut off. */
  stop(graceMs: number): Promise<void>;
}

/** Takes alerts to their receivers, again and again until they arrive or a day is over (decision 39). */
export function deliverAlerts(options: DeliverOptions): AlertDeliverer {
  const deliverer = new Deliverer(options);
  deliverer.wake();
  return deliverer;
}

interface Broken {
  readonly kind: 'broken';
  readonly sent: Sent;
}

class Deliverer implements AlertDeliverer {
  readonly #options: DeliverOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #ofParty = new Map<string, number>();
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopping = false;
  #withdraw = () => {};

  constructor(options: DeliverOptions) {
    this.#options = options;
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#isStopping) return;
    this.#running ??= this.#run();
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#withdraw();
    const { clock } = this.#options;
    const withdraw = clock.at(clock.nowMs() + graceMs, () => this.#stopped.abort());
    await this.#running;
    await Promise.all(this.#underWay);
    withdraw();
  }

  async #run(): Promise<void> {
    const { clock, spread, onProblem } = this.#options;
    this.#withdraw();
    try {
      // Who is woken while it looks, looks again.
      while (this.#isWoken && !this.#isStopping) {
        this.#isWoken = false;
        await spread();
        await this.#claimAll();
      }
    } catch (error) {
      onProblem('', String(error));
    }
    this.#running = undefined;
    if (!this.#isStopping) this.#withdraw = clock.at(clock.nowMs() + LOOK_MS, () => this.wake());
  }

  async #claimAll(): Promise<void> {
    const { outbox, clock } = this.#options;
    while (!this.#isStopping && this.#underWay.size < MOST_AT_ONCE) {
      const nowMs = clock.nowMs();
      const delivery = await outbox.claimDue(nowMs, nowMs + CLAIM_MS, this.#busyParties());
      if (delivery === undefined) return;
      this.#begin(delivery);
    }
  }

  #begin(delivery: ClaimedDelivery): void {
    const { onProblem } = this.#options;
    this.#count(delivery.party, 1);
    const underWay = this.#deliver(delivery)
      .catch((error: unknown) => onProblem(delivery.id, String(error)))
      .finally(() => {
        this.#count(delivery.party, -1);
        this.#underWay.delete(underWay);
        // The next one of its lane is due now, and its party has room.
        this.wake();
      });
    this.#underWay.add(underWay);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, onProblem } = this.#options;
    const composed = await this.#compose(delivery);
    if (composed.kind === 'pointless') {
      const attempt = { responseStatus: undefined, nextAtMs: undefined, error: composed.reason };
      await this.#record(delivery, { ...attempt, atMs: clock.nowMs() });
      return;
    }
    const sent =
      composed.kind === 'broken'
        ? composed.sent
        : await send(this.#options, composed.message, this.#stopped.signal);
    // What the hub itself cut off is nobody's failure: another sends it again, under the same id.
    if (this.#stopped.signal.aborted && sent.error !== undefined)
      return await this.#options.outbox.release(delivery, clock.nowMs());
    if (sent.error !== undefined) onProblem(delivery.id, sent.error);
    await this.#record(delivery, this.#attemptOf(delivery, sent));
  }

  /** What cannot be composed, as under another master key, is a failure like others; a store that is away is none. */
  async #compose(delivery: ClaimedDelivery): Promise<Composed | Broken> {
    const { clock, onProblem } = this.#options;
    try {
      return await compose(this.#options, delivery, clock.nowMs());
    } catch (error) {
      if (error instanceof Refusal) throw error;
      onProblem(delivery.id, String(error));
      return { kind: 'broken', sent: { responseStatus: undefined, error: 'the hub could not prepare it' } };
    }
  }

  #attemptOf({ tries, createdAtMs, lane }: ClaimedDelivery, sent: Sent): Attempt {
    const nowMs = this.#options.clock.nowMs();
    const nextAtMs =
      sent.error === undefined || isTrial(lane)
        ? undefined
        : nextTryMs(tries + 1, { createdAtMs, nowMs, random: this.#options.chance() });
    return { ...sent, atMs: nowMs, nextAtMs };
  }

  /** What has arrived is not sent again because the store cannot write just now. */
  async #record(delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
    const { outbox, clock, onProblem } = this.#options;
    for (;;) {
      try {
        await outbox.tried(delivery, attempt);
        return;
      } catch (error) {
        onProblem(delivery.id, String(error));
        if (this.#isStopping) return;
        await new Promise<void>((resolve) => clock.at(clock.nowMs() + RECORD_AGAIN_MS, resolve));
      }
    }
  }

  #busyParties(): string[] {
    return [...this.#ofParty].filter(([, count]) => count >= MOST_OF_PARTY).map(([party]) => party);
  }

  #count(party: string, by: 1 | -1): void {
    const count = (this.#ofParty.get(party) ?? 0) + by;
    if (count > 0) this.#ofParty.set(party, count);
    else this.#ofParty.delete(party);
  }
}

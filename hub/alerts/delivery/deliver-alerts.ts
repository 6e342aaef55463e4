import { isTrial } from '@svc/core/alert/delivery-queue';
import { nextTryMs } from '@svc/core/alert/retry';
import { Refusal } from '@svc/core/refusal';
import type { Attempt, ClaimedDelivery } from '../alert-ports.ts';
import type { AlertOutbox } from '../store/alert-outbox.ts';
import { type ComposeDeps, type Composed, compose } from './compose.ts';
import { type SendOptions, type Sent, send } from './send.ts';

const POLL_MS = 5_000;
/** The duration of a claim on a delivery queue; far longer than the timeout of a delivery. */
const CLAIM_MS = 60_000;
const RECORD_AGAIN_MS = 1_000;
/** Concurrent connections of the whole hub and of one party. A dead receiver thus blocks no other party. */
const CONCURRENCY = 256;
const MAX_PER_PARTY = 4;

export interface DeliverOptions extends ComposeDeps, SendOptions {
  readonly outbox: Pick<AlertOutbox, 'claimDue' | 'tried' | 'release'>;
  /** Creates deliveries from published events. */
  readonly fanOut: () => Promise<void>;
  /** A random number from 0 to 1. */
  readonly chance: () => number;
  readonly onProblem: (id: string, problem: string) => void;
}

export interface AlertDeliverer {
  /** Wakes the deliverer after an event was published. */
  wake(): void;
  /** Starts no new delivery. Settles when those in flight have ended; after the grace period it aborts them. */
  stop(graceMs: number): Promise<void>;
}

/** Delivers alerts and retries each for up to a day (decision 39, alerts). */
export function deliverAlerts(options: DeliverOptions): AlertDeliverer {
  const deliverer = new Deliverer(options);
  deliverer.wake();
  return deliverer;
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
    const { clock, fanOut, onProblem } = this.#options;
    this.#withdraw();
    try {
      // A wake-up during a poll starts another poll.
      while (this.#isWoken && !this.#isStopping) {
        this.#isWoken = false;
        // Deliveries that wait for another try go on while new events cannot be assigned to their targets.
        await fanOut().catch((error: unknown) => onProblem('', String(error)));
        await this.#claimAll();
      }
    } catch (error) {
      onProblem('', String(error));
    }
    this.#running = undefined;
    if (!this.#isStopping) this.#withdraw = clock.at(clock.nowMs() + POLL_MS, () => this.wake());
  }

  async #claimAll(): Promise<void> {
    const { outbox, clock } = this.#options;
    while (!this.#isStopping && this.#underWay.size < CONCURRENCY) {
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
        // The next delivery of the queue is due now, and the party has a free connection.
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
    // An abort by this hub is not a failure of the receiver. Another hub sends the delivery again with the same id.
    if (this.#stopped.signal.aborted && sent.error !== undefined)
      return await this.#options.outbox.release(delivery, clock.nowMs());
    if (sent.error !== undefined) onProblem(delivery.id, sent.error);
    await this.#record(delivery, this.#attemptOf(delivery, sent));
  }

  /** A message that cannot be composed (for example after a lost master key) is a failure; an unavailable store is not. */
  async #compose(delivery: ClaimedDelivery): Promise<Composed> {
    const { clock, onProblem } = this.#options;
    try {
      return await compose(this.#options, delivery, clock.nowMs());
    } catch (error) {
      if (error instanceof Refusal) throw error;
      onProblem(delivery.id, String(error));
      return { kind: 'broken', sent: { responseStatus: undefined, error: 'the hub could not prepare it' } };
    }
  }

  #attemptOf({ tries, createdAtMs, queue }: ClaimedDelivery, sent: Sent): Attempt {
    const nowMs = this.#options.clock.nowMs();
    const nextAtMs =
      sent.error === undefined || isTrial(queue)
        ? undefined
        : nextTryMs(tries + 1, { createdAtMs, nowMs, random: this.#options.chance() });
    return { ...sent, atMs: nowMs, nextAtMs };
  }

  /** Retries the write, so that an arrived delivery is not sent again. */
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
    return [...this.#ofParty].filter(([, count]) => count >= MAX_PER_PARTY).map(([party]) => party);
  }

  #count(party: string, by: 1 | -1): void {
    const count = (this.#ofParty.get(party) ?? 0) + by;
    if (count > 0) this.#ofParty.set(party, count);
    else this.#ofParty.delete(party);
  }
}

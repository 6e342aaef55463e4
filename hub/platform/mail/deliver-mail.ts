import { backoffMs } from '@svc/core/backoff';
import { createTransport } from 'nodemailer';
import type { Clock } from '../world.ts';
import type { MailOutbox } from './mail-outbox-store.ts';
import type { ClaimedMail } from './outbox-ports.ts';

const POLL_MS = 30_000;
const RETRY = { firstMs: 15_000, longestMs: 60 * 60 * 1000 };
/** The duration of a claim; longer than the timeouts below in total. */
const CLAIM_MS = 10 * 60 * 1000;
const TIMEOUTS = { connectionTimeout: 30_000, greetingTimeout: 30_000, socketTimeout: 45_000 } as const;

export interface Delivery {
  /** Wakes the delivery after a mail was added to the outbox. */
  wake(): void;
  /** Stops; resolves when the mail in progress has ended. */
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  readonly outbox: Pick<MailOutbox, 'claimDue' | 'sent' | 'failed'>;
  readonly clock: Clock;
  readonly smtpUrl: string;
  readonly from: string;
  readonly onProblem: (id: string, problem: string) => void;
}

/** Sends mails from the outbox to the mail server, and retries until it accepts them (decision 54, configuration of a hub). */
export function deliverMail(options: DeliveryOptions): Delivery {
  const delivery = new MailDelivery(options);
  delivery.wake();
  return delivery;
}

class MailDelivery implements Delivery {
  readonly #options: DeliveryOptions;
  readonly #transport: ReturnType<typeof createTransport>;
  /** Delivered mails that the store has not recorded yet. */
  readonly #unrecorded = new Set<string>();
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;
  #withdraw = () => {};

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#transport = createTransport({ url: options.smtpUrl, ...TIMEOUTS });
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#isStopped) return;
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#withdraw();
    await this.#running;
    this.#transport.close();
  }

  async #run(): Promise<void> {
    const { clock, onProblem } = this.#options;
    this.#withdraw();
    try {
      // A wake-up during a poll starts another poll.
      while (this.#isWoken) {
        this.#isWoken = false;
        await this.#deliverDue();
      }
    } catch (error) {
      onProblem('', String(error));
    }
    this.#running = undefined;
    if (!this.#isStopped) this.#withdraw = clock.at(clock.nowMs() + POLL_MS, () => this.wake());
  }

  async #deliverDue(): Promise<void> {
    const { outbox, clock } = this.#options;
    for (const id of this.#unrecorded) await this.#record(id);
    while (!this.#isStopped) {
      const nowMs = clock.nowMs();
      const mail = await outbox.claimDue(nowMs, nowMs + CLAIM_MS);
      if (mail === undefined) return;
      await this.#deliver(mail);
    }
  }

  async #deliver({ id, to, subject, text, html, tries }: ClaimedMail): Promise<void> {
    const { outbox, clock, from, onProblem } = this.#options;
    try {
      await this.#transport.sendMail({ from, to, subject, text, html, messageId: `<${id}@svc>` });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      onProblem(id, problem);
      await outbox.failed(id, clock.nowMs() + backoffMs(RETRY, tries), problem);
      return;
    }
    await this.#record(id);
  }

  /** Retries the write, so that a delivered mail is not sent again. */
  async #record(id: string): Promise<void> {
    this.#unrecorded.add(id);
    await this.#options.outbox.sent(id, this.#options.clock.nowMs());
    this.#unrecorded.delete(id);
  }
}

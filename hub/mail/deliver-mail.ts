import { createTransport } from 'nodemailer';
import type { MailOutbox } from '../engine/ports/accounts.ts';
import type { Clock } from '../engine/ports.ts';

const BATCH = 20;
const LOOK_MS = 30_000;
const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 60 * 60 * 1000;

export interface Delivery {
  /** A mail has been put into the outbox. */
  wake(): void;
  stop(): void;
}

export interface DeliveryOptions {
  readonly outbox: MailOutbox;
  readonly clock: Clock;
  readonly smtpUrl: string;
  readonly from: string;
  readonly onProblem: (id: string, problem: string) => void;
}

/** Takes mails from the outbox to the mail server, again and again until it takes them (decision 54). */
export function deliverMail({ outbox, clock, smtpUrl, from, onProblem }: DeliveryOptions): Delivery {
  const transport = createTransport(smtpUrl);
  let isRunning = false;
  let isStopped = false;
  let withdraw = () => {};

  const deliverDue = async () => {
    for (const { id, to, subject, text, html, tries } of await outbox.due(clock.nowMs(), BATCH)) {
      try {
        await transport.sendMail({ from, to, subject, text, html, messageId: `<${id}@svc>` });
        await outbox.sent(id, clock.nowMs());
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        const waitMs = Math.min(FIRST_RETRY_MS * 2 ** tries, LAST_RETRY_MS);
        await outbox.failed(id, clock.nowMs() + waitMs, problem);
        onProblem(id, problem);
      }
    }
  };
  const run = () => {
    if (isRunning || isStopped) return;
    isRunning = true;
    withdraw();
    deliverDue()
      .catch((error: unknown) => onProblem('', String(error)))
      .finally(() => {
        isRunning = false;
        withdraw = isStopped ? () => {} : clock.at(clock.nowMs() + LOOK_MS, run);
      });
  };
  run();
  return {
    wake: run,
    stop: () => {
      isStopped = true;
      withdraw();
      transport.close();
    },
  };
}

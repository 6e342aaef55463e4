import type { Logger } from 'pino';
import type { HubConfig } from '../config.ts';
import { type Delivery, deliverMail } from '../platform/mail/deliver-mail.ts';
import type { Clock } from '../platform/world.ts';
import type { Store } from './create-store.ts';

/** Undefined where there is no mail server: mails wait in the outbox. */
export function mailDelivery(
  config: HubConfig,
  store: Store,
  clock: Clock,
  logger: Logger,
): Delivery | undefined {
  if (config.smtpUrl === undefined) return undefined;
  return deliverMail({
    outbox: store.mailOutbox,
    clock,
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    onProblem: (mail, problem) => logger.warn({ mail, problem }, 'a mail was not delivered'),
  });
}

import { readNetwork } from '@svc/core/alert/address';
import type { Logger } from 'pino';
import { ownMembership } from '../accounts/own-member.ts';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import { type DamageReceiver, damageReceivers } from '../alerts/delivery/damage-receivers.ts';
import type { HubConfig } from '../config.ts';
import { DAMAGE_ADVICE } from '../platform/db/damage.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

/** The delays before a failed receiver is tried again. */
const WAITS_MS = [10_000, 60_000, 600_000];

/** A receiver of damage alerts, called with the first error. */
type Receivers = (reason: string) => Promise<readonly DamageReceiver[]>;

/**
 * Reports once that the store is damaged, in the log and to operators. A damaged store takes no writes, so the alert does not use
 * the outbox: a hub that stops meanwhile sends no further alert.
 */
export class DamageAlarm {
  readonly #logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  #reason: string | undefined;
  #receivers: Receivers | undefined;

  constructor(logger: Pick<Logger, 'error' | 'warn' | 'info'>, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  found(reason: string): void {
    this.#logger.error({ reason, whatToDo: DAMAGE_ADVICE }, 'the store is damaged');
    this.#reason = reason;
    this.#notify();
  }

  /** Sets the receivers; damage that was found before is sent to them now. */
  setReceivers(receivers: Receivers): void {
    this.#receivers = receivers;
    this.#notify();
  }

  stop(): void {
    this.#stopped.abort();
  }

  #notify(): void {
    if (this.#reason === undefined || this.#receivers === undefined) return;
    this.#receivers(this.#reason)
      .then((receivers) => Promise.all(receivers.map((one) => this.#notifyOne(one))))
      .catch((err: unknown) =>
        this.#logger.warn({ err }, 'operators could not be alerted that the store is damaged'),
      );
  }

  async #notifyOne({ name, send }: DamageReceiver): Promise<void> {
    const { signal } = this.#stopped;
    for (const waitMs of [...WAITS_MS, undefined]) {
      const problem = await send(signal);
      if (problem === undefined)
        return this.#logger.info({ receiver: name }, 'alerted that the store is damaged');
      this.#logger.warn({ receiver: name, problem }, 'not alerted that the store is damaged');
      if (waitMs === undefined) return;
      await this.#wait(waitMs);
      if (signal.aborted) return;
    }
  }

  /** Resolves after this time, or when the hub stops. */
  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const withdraw = this.#clock.at(this.#clock.nowMs() + ms, resolve);
    this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    withdraw();
  }
}

export function operatorReceivers({
  config,
  context,
  store,
  settings,
}: {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly store: Store;
  readonly settings: Pick<Settings, 'hubUrl'>;
}): Receivers {
  const { operators, smtpUrl, mailFrom, alertPrivateNetworks } = config;
  const ownWorkspace = async (email: string) => {
    const user = await context.accounts.userByEmail(email);
    return user && (await ownMembership(context, user.id)).workspace.id;
  };
  return (reason) =>
    damageReceivers(
      {
        ...{ ownWorkspace, rules: store.alertRules, vault: context.vault },
        ...{ clock: context.clock, random: context.random, operators, hubUrl: settings.hubUrl },
        mail: smtpUrl === undefined ? undefined : { smtpUrl, from: mailFrom },
        resolve: systemResolve,
        allowed: alertPrivateNetworks.flatMap((text) => readNetwork(text) ?? []),
      },
      reason,
    );
}

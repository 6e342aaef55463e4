import { readNetwork } from '@svc/core/alert/address';
import type { AlertEvent } from '@svc/core/alert/event';
import type { Logger } from 'pino';
import { AgentWatch } from '../agents/watch-agents.ts';

import type { AlertParts } from '../alerts/alert-routes.ts';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import { type AlertDeliverer, deliverAlerts } from '../alerts/delivery/deliver-alerts.ts';
import { fanOutEvents } from '../alerts/fan-out.ts';
import { publishQuotaAlerts } from '../alerts/watch-quotas.ts';
import { approversToMail } from '../approvals/approvers-to-mail.ts';
import type { HubConfig } from '../config.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { repeat } from '../platform/repeat.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

const OFFLINE_CHECK_MS = 10_000;
const LOST_AGENTS_MS = 60_000;
const QUOTAS_MS = 15_000;

export interface Alerts {
  /** The parts that the routes use. */
  readonly parts: AlertParts;
  readonly watch: AgentWatch;
  /** Starts the polls for alerts that no event causes: agents offline, quotas, deliveries. The returned function stops them. */
  keep(): () => void;
  readonly deliverer: AlertDeliverer;
}

export interface AlertOptions {
  readonly config: Pick<HubConfig, 'alertPrivateNetworks'>;
  readonly context: HubContext;
  readonly store: Store;
  readonly events: EventStream;
  readonly logger: Logger;
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Builds what alerts are made of, and begins to deliver them. */
export function startAlerts({ config, context, store, events, logger, onMail }: AlertOptions): Alerts {
  const { alertRules, alertOutbox, agentPresences, quotaMarks } = store;
  const alertNetworks = config.alertPrivateNetworks.flatMap((text) => readNetwork(text) ?? []);
  const onAlertStored = () => deliverer.wake();
  const membersToMail = (event: AlertEvent) => approversToMail(context, event);
  const parts: AlertParts = { alertRules, alertOutbox, alertNetworks, membersToMail, onMail, onAlertStored };
  const deliverer = deliverAlerts({
    ...context,
    rules: alertRules,
    outbox: alertOutbox,
    resolve: systemResolve,
    allowed: alertNetworks,
    spread: () => fanOutEvents({ ...context, ...parts }),
    chance: Math.random,
    onProblem: (alert, problem) => logger.warn({ alert, problem }, 'an alert was not delivered'),
  });
  events.subscribe('alert_stored', () => deliverer.wake());
  const watch = new AgentWatch({ ...context, agentPresences });
  return {
    parts,
    watch,
    deliverer,
    keep() {
      const { clock } = context;
      const onProblem = (err: unknown) => logger.warn({ err }, 'a look for alerts is tried again');
      const looks = [
        repeat(clock, OFFLINE_CHECK_MS, () => watch.publishOffline(), onProblem),
        // NOTE: Not at once: agents of a hub that has just started are on their way back.
        repeat(clock, LOST_AGENTS_MS, () => watch.findLost(), onProblem, 'later'),
        repeat(clock, QUOTAS_MS, () => publishQuotaAlerts({ ...context, quotaMarks }), onProblem),
      ];
      return () => {
        for (const stop of looks) stop();
      };
    },
  };
}

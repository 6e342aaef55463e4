import type { AlertEvent } from '@svc/core/alert/event';
import type { Logger } from 'pino';
import { AgentWatch } from '../agents/watch-agents.ts';

import type { AlertParts } from '../alerts/alert-routes.ts';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import { type AlertDeliverer, deliverAlerts } from '../alerts/delivery/deliver-alerts.ts';
import { fanOutEvents } from '../alerts/fan-out.ts';
import type { OpenSecretTarget } from '../alerts/open-target.ts';
import { publishQuotaAlerts } from '../alerts/watch-quotas.ts';
import { SuccessWatch } from '../alerts/watch-successes.ts';
import { approversToMail } from '../approvals/approvers-to-mail.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { repeat } from '../platform/repeat.ts';
import { openAlertSecret } from '../secret-grants/alert-secrets.ts';
import { completeEvent } from './complete-alert.ts';
import type { Store } from './create-store.ts';
import type { HubContext } from './hub-context.ts';

const OFFLINE_CHECK_MS = 10_000;
const LOST_AGENTS_MS = 60_000;
const QUOTAS_MS = 15_000;
const SUCCESSES_MS = 15_000;

export interface Alerts {
  /** The parts that the routes use. */
  readonly parts: AlertParts;
  readonly watch: AgentWatch;
  /**
   * Starts the polls for alerts that no event causes: agents offline, quotas, missing successes, deliveries. The returned function
   * stops them.
   */
  keep(): () => void;
  readonly deliverer: AlertDeliverer;
}

export interface AlertOptions {
  readonly context: HubContext;
  readonly store: Store;
  readonly events: EventStream;
  readonly logger: Logger;
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Builds what alerts are made of, and begins to deliver them. */
export function startAlerts({ context, store, events, logger, onMail }: AlertOptions): Alerts {
  const { alertRules, alertOutbox, agentPresences, quotaMarks, missingSuccesses } = store;
  const { alertNetworks } = context.settings;
  const onAlertStored = () => deliverer.wake();
  const membersToMail = (event: AlertEvent) => approversToMail(context, event);
  const openSecretTarget: OpenSecretTarget = (workspaceId, secret, declared) =>
    openAlertSecret(context, workspaceId, secret, declared);
  const complete = completeEvent({ ...context, hubUrl: context.settings.hubUrl });
  const parts: AlertParts = {
    alertRules,
    alertOutbox,
    alertNetworks,
    complete,
    openSecretTarget,
    membersToMail,
    onMail,
    onAlertStored,
  };
  const deliverer = deliverAlerts({
    ...context,
    rules: alertRules,
    openSecretTarget,
    outbox: alertOutbox,
    resolve: systemResolve,
    allowed: alertNetworks,
    fanOut: () => fanOutEvents({ ...context, ...parts }),
    chance: Math.random,
    onProblem: (alert, problem) => logger.warn({ alert, problem }, 'an alert was not delivered'),
  });
  events.subscribe('alert_stored', () => deliverer.wake());
  const watch = new AgentWatch({ ...context, agentPresences });
  const successes = new SuccessWatch({ ...context, missingSuccesses });
  return {
    parts,
    watch,
    deliverer,
    keep() {
      const { clock } = context;
      const onProblem = (err: unknown) => logger.warn({ err }, 'the search for alerts is tried again');
      const looks = [
        repeat(clock, OFFLINE_CHECK_MS, () => watch.publishOffline(), onProblem),
        // NOTE: Not at once, because the agents of a hub that has just started are still reconnecting.
        repeat(clock, LOST_AGENTS_MS, () => watch.findLost(), onProblem, 'later'),
        repeat(clock, QUOTAS_MS, () => publishQuotaAlerts({ ...context, quotaMarks }), onProblem),
        repeat(clock, SUCCESSES_MS, () => successes.publish(), onProblem),
      ];
      return () => {
        for (const stop of looks) stop();
      };
    },
  };
}

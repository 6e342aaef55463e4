import type { AlertEvent } from '@svc/core/alert/event';
import type { PayloadData } from '@svc/core/alert/payload';
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
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { isResultPiece, plainText, storedOutput } from '../executions/stored-output.ts';
import type { EventStream } from '../platform/event-stream.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { repeat } from '../platform/repeat.ts';
import type { Vault } from '../platform/world.ts';
import { openAlertSecret } from '../secret-grants/alert-secrets.ts';
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

interface CompleteDeps {
  readonly hubUrl: string;
  readonly ledger: Pick<ExecutionLedger, 'find' | 'output'>;
  readonly vault: Vault;
}

/** Adds the page of the dashboard and the last lines of output. The agent has masked the secrets in them. */
function completeEvent({ hubUrl, ledger, vault }: CompleteDeps) {
  return async (event: AlertEvent): Promise<AlertEvent> => {
    const { execution_id: executionId } = event.data;
    const page = pageOf(hubUrl, event);
    const owner = { workspaceId: event.workspaceId, kind: 'alert_link', id: event.id } as const;
    const sealedLink = event.sealedLink ?? (page && vault.seal(page, owner));
    if (!('last_lines' in event.data) || typeof executionId !== 'string') return { ...event, sealedLink };
    return {
      ...event,
      sealedLink,
      data: { ...event.data, last_lines: await lastLines(ledger, executionId) },
    };
  };
}

function pageOf(hubUrl: string, { data, name }: AlertEvent): string | undefined {
  if (name === 'approval.pending') return `${hubUrl}/dashboard/approvals`;
  if (name.startsWith('execution.')) return `${hubUrl}/dashboard/executions/${String(data.execution_id)}`;
  if (name.startsWith('pipeline.')) return `${hubUrl}/dashboard/pipeline-runs/${String(data.run_id)}`;
  if (name !== 'no_success_since' && name !== 'success_resumed') return undefined;
  const { endpoint, pipeline } = data as PayloadData<'no_success_since'>;
  return pipeline === null
    ? `${hubUrl}/dashboard/endpoints/${endpoint}`
    : `${hubUrl}/dashboard/pipelines/${pipeline}`;
}

const LAST_LINES = 20;
const LAST_LINE_CHARS = 500;
/** Each chunk has at least one line of output. */
const LAST_PIECES = 40;

async function lastLines(ledger: CompleteDeps['ledger'], executionId: string): Promise<string[]> {
  const execution = await ledger.find(executionId);
  const after = Math.max(0, (execution?.lastSeq ?? 0) - LAST_PIECES);
  let text = '';
  for await (const chunk of storedOutput(ledger, executionId, after))
    if (!isResultPiece(chunk)) text += plainText(chunk);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.slice(-LAST_LINES).map((line) => line.slice(0, LAST_LINE_CHARS));
}

import { hash } from 'node:crypto';
import { alertLetter } from '@svc/core/alert/alert-letter';
import { type AlertEvent, isWanted } from '@svc/core/alert/event';
import { damageAlert } from '@svc/core/alert/make-event';
import { wordsOf } from '@svc/core/alert/words';
import { layOutLetter } from '@svc/core/mail/letter';
import { createTransport } from 'nodemailer';
import type { Random, Vault } from '../../platform/world.ts';
import type { AlertRule } from '../alert-ports.ts';
import type { OpenedTarget } from '../open-target.ts';
import type { AlertRules } from '../store/alert-rules.ts';
import { type ComposeDeps, compose } from './compose.ts';
import { type SendOptions, send } from './send.ts';

/** A receiver of the alert about damage of the store. */
export interface DamageReceiver {
  /** A name for the log; it is not a credential. */
  readonly name: string;
  /** Sends once. Returns the error message, or undefined. Never throws. */
  readonly send: (stopped: AbortSignal) => Promise<string | undefined>;
}

export interface DamageDeps extends SendOptions {
  readonly vault: Vault;
  readonly random: Random;
  readonly rules: Pick<AlertRules, 'of'> & ComposeDeps['rules'];
  /** The operators' addresses, from the environment. */
  readonly operators: readonly string[];
  /** The id of the workspace that the user with this address owns; undefined: there is no such account. */
  readonly ownWorkspace: (email: string) => Promise<string | undefined>;
  readonly hubUrl: string;
  /** Undefined without a mail server. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined;
}

const MAIL_TIMEOUT_MS = 30_000;
const TIMEOUTS = {
  connectionTimeout: MAIL_TIMEOUT_MS,
  greetingTimeout: MAIL_TIMEOUT_MS,
  socketTimeout: MAIL_TIMEOUT_MS,
} as const;

/**
 * Operators receive a mail, which needs nothing from the store. The webhooks and chats of alert rules in the operators'
 * own workspaces receive the alert, too, when the store can still read them.
 */
export async function damageReceivers(deps: DamageDeps, reason: string): Promise<DamageReceiver[]> {
  const byRule = await Promise.all(
    deps.operators.map((operator) => rulesOf(deps, operator, reason).catch(() => [])),
  );
  const mails = deps.mail === undefined ? [] : deps.operators.map((to) => mailTo(deps, to, reason));
  return [...mails, ...byRule.flat()];
}

async function rulesOf(deps: DamageDeps, operator: string, reason: string): Promise<DamageReceiver[]> {
  const workspaceId = await deps.ownWorkspace(operator);
  if (workspaceId === undefined) return [];
  const event = eventOf(deps, workspaceId, reason);
  const rules = await deps.rules.of(workspaceId);
  return rules
    .filter((rule) => rule.isEnabled && rule.channel !== 'email' && isWanted(rule, event))
    .map((rule) => ({
      name: `alert rule ${rule.id}`,
      send: (stopped) => post(deps, rule, event, stopped),
    }));
}

function eventOf({ clock, random, hubUrl }: DamageDeps, workspaceId: string, reason: string): AlertEvent {
  const base = { id: random.uuid(), workspaceId, atMs: clock.nowMs() };
  return damageAlert(base, { hub: hubUrl, error: reason });
}

/** No file declares a rule about the hub. */
function noSecretTarget(): Promise<OpenedTarget> {
  return Promise.resolve({ kind: 'problem', reason: 'the secret of a file is not read for damage' });
}

async function post(
  deps: DamageDeps,
  { id: ruleId }: AlertRule,
  event: AlertEvent,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const nowMs = deps.clock.nowMs();
  const id = `msg_${hash('sha256', `${event.id} ${ruleId}`).slice(0, 32)}`;
  const delivery = { id, event, ruleId, queue: '', party: '', createdAtMs: nowMs, tries: 0, untilMs: nowMs };
  try {
    const composed = await compose({ ...deps, openSecretTarget: noSecretTarget }, delivery, nowMs);
    if (composed.kind === 'pointless') return composed.reason;
    if (composed.kind === 'broken') return composed.sent.error;
    return (await send(deps, composed.message, stopped)).error;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function mailTo(deps: DamageDeps, to: string, reason: string): DamageReceiver {
  const event = eventOf(deps, '', reason);
  const letter = alertLetter(wordsOf(event.name, event.data), { rule: 'operators of the hub' }, undefined);
  const { subject, text, html } = layOutLetter({
    ...letter,
    notes: [
      'You get this mail because SVC_OPERATORS of the hub names you. docs/operate/operating.md says what to do.',
    ],
  });
  return {
    name: to,
    async send() {
      const transport = createTransport({ url: deps.mail?.smtpUrl ?? '', ...TIMEOUTS });
      try {
        await transport.sendMail({ from: deps.mail?.from ?? '', to, subject, text, html });
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      } finally {
        transport.close();
      }
    },
  };
}

import { createHmac } from 'node:crypto';
import { chatMessage } from '@svc/core/alert/chat-message';
import { payloadText } from '@svc/core/alert/payload';
import { wordsOf } from '@svc/core/alert/words';
import type { SealedFor } from '../../platform/world.ts';
import type { AlertRule, ClaimedDelivery, SigningSecret } from '../alert-ports.ts';
import { type OpenTargetDeps, openUrl } from '../open-target.ts';
import type { AlertRules } from '../store/alert-rules.ts';
import type { Message, Sent } from './send.ts';

export interface ComposeDeps extends OpenTargetDeps {
  readonly rules: Pick<AlertRules, 'find' | 'callbackSecret'>;
}

/** The message and its target; or the reason why there is none, for ever (`pointless`) or in this attempt (`broken`). */
export type Composed =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'broken'; readonly sent: Sent }
  | { readonly kind: 'pointless'; readonly reason: string };

const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': 'svc-alerts' } as const;

/** Composes the message of a delivery with the current rule. */
export async function compose(
  deps: ComposeDeps,
  delivery: ClaimedDelivery,
  nowMs: number,
): Promise<Composed> {
  const { rules, vault } = deps;
  const { event, ruleId } = delivery;
  const { workspaceId, callbackUrl } = event;
  if (ruleId === undefined) {
    const secret = await rules.callbackSecret(workspaceId);
    const owner = { workspaceId, kind: 'callback_secret', id: workspaceId } as const;
    const secrets = secretsOf(vault, secret, owner, nowMs);
    return message(callbackUrl ?? '', signed(delivery, linkOf(vault, delivery), secrets, nowMs));
  }
  const rule = await rules.find(workspaceId, ruleId);
  if (rule === undefined) return { kind: 'pointless', reason: 'the rule was deleted' };
  // Mails use the mail outbox; a mail delivery that gets here has no recipient.
  if (rule.channel === 'email')
    return {
      kind: 'pointless',
      reason: 'the address is not one of a member of the workspace, or cannot be read',
    };
  const opened = await openUrl(deps, rule);
  if (opened.kind === 'problem')
    return { kind: 'broken', sent: { responseStatus: undefined, error: opened.reason } };
  return message(opened.target, parts(vault, rule, delivery, nowMs));
}

type Parts = Omit<Message, 'url'>;

function parts(
  vault: ComposeDeps['vault'],
  rule: AlertRule,
  delivery: ClaimedDelivery,
  nowMs: number,
): Parts {
  const { event } = delivery;
  const link = linkOf(vault, delivery);
  if (rule.channel === 'slack') {
    const body = JSON.stringify(chatMessage(wordsOf(event.name, event.data), link));
    return { headers: JSON_HEADERS, body };
  }
  const owner = { workspaceId: rule.workspaceId, kind: 'alert_secret', id: rule.id } as const;
  return signed(delivery, link, secretsOf(vault, rule.secret, owner, nowMs), nowMs);
}

function signed(
  { id, event }: ClaimedDelivery,
  link: string | undefined,
  secrets: readonly string[],
  nowMs: number,
): Parts {
  const body = payloadText(event, link);
  const timestampSec = Math.floor(nowMs / 1000);
  return { headers: { ...JSON_HEADERS, ...signatureHeaders({ id, timestampSec, body }, secrets) }, body };
}

/** The current secret first, then the previous one while it still signs. */
function secretsOf(
  vault: ComposeDeps['vault'],
  secret: SigningSecret | undefined,
  owner: SealedFor,
  nowMs: number,
): string[] {
  if (secret === undefined) return [];
  const { sealed, previous } = secret;
  const both = previous !== undefined && nowMs < previous.untilMs ? [sealed, previous.sealed] : [sealed];
  return both.map((one) => vault.open(one, owner));
}

function linkOf(vault: ComposeDeps['vault'], { event }: ClaimedDelivery): string | undefined {
  const { id, workspaceId, sealedLink } = event;
  return sealedLink === undefined
    ? undefined
    : vault.open(sealedLink, { workspaceId, kind: 'alert_link', id });
}

function message(url: string, rest: Parts): Composed {
  return { kind: 'message', message: { url, ...rest } };
}

const PREFIX = 'whsec_';

interface Signed {
  readonly id: string;
  readonly timestampSec: number;
  readonly body: string;
}

/** The headers of Standard Webhooks 1.0; with several secrets one signature for each, so that either can be checked. */
export function signatureHeaders(
  { id, timestampSec, body }: Signed,
  secrets: readonly string[],
): Record<string, string> {
  const signed = `${id}.${timestampSec}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
  };
}

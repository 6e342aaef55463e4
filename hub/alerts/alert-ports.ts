import type { AlertEvent, AlertFilter, ToldEventName } from '@svc/core/alert/event';
import type { Presence } from '@svc/core/alert/presence';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { Plan } from '@svc/core/plan/plans';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';

// Alerts: who wants to hear of what, what has happened, and what of it is on its way (decision 39).

export const ALERT_CHANNELS = ['webhook', 'slack', 'email'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** Addresses of webhooks and chats let whoever knows them in: they are sealed, like the secrets that sign. */
export interface AlertRule extends AlertFilter {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly channel: AlertChannel;
  /** The URL, or the e-mail address; sealed for (`alert_target`, id of the rule). */
  readonly sealedTarget: string;
  /** What people see of it. */
  readonly shownTarget: string;
  /** Of a webhook. */
  readonly secret: SigningSecret | undefined;
  readonly isEnabled: boolean;
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Raised by each change; a change of a row that is not as it was read is refused. */
  readonly revision: number;
}

/** Sealed for (`alert_secret`, id of the rule), or for (`callback_secret`, id of the workspace). */
export interface SigningSecret {
  readonly sealed: string;
  /** The one before it, which signs along until then. */
  readonly previous: { readonly sealed: string; readonly untilMs: number } | undefined;
}

export interface AlertRules {
  of(workspaceId: string): Promise<AlertRule[]>;
  find(workspaceId: string, id: string): Promise<AlertRule | undefined>;
  add(rule: AlertRule, entry: AuditEntry): Promise<void>;
  /** By its revision, which it raises: false when it was changed meanwhile, or is gone. What waits long is tried at once. */
  change(rule: AlertRule, entry: AuditEntry): Promise<boolean>;
  /** With its log and what is on its way; false when it is gone. */
  remove(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean>;
  /** What the callbacks of a workspace are signed with; undefined: nobody has made one. */
  callbackSecret(workspaceId: string): Promise<SigningSecret | undefined>;
  /** In place of the one that was read; false when somebody has made another meanwhile. */
  setCallbackSecret(
    workspaceId: string,
    secret: SigningSecret,
    insteadOf: SigningSecret | undefined,
    entry: AuditEntry,
  ): Promise<boolean>;
  /** What was sent, or tried, or waits; the newest first. `ruleId` undefined: callbacks. */
  deliveries(filter: DeliveryFilter): Promise<{ items: LoggedDelivery[]; nextCursor: string | undefined }>;
}

export interface DeliveryFilter {
  readonly workspaceId: string;
  readonly ruleId: string | undefined;
  readonly cursor?: string;
  readonly limit: number;
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface LoggedDelivery {
  readonly id: string;
  readonly event: ToldEventName;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly createdAtMs: number;
  readonly triedAtMs: number | undefined;
  /** When it is tried again. */
  readonly nextAtMs: number | undefined;
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
}

/** One alert for one receiver. */
export interface AlertDelivery {
  /** Follows from event and receiver, so that whoever makes it a second time makes the same: also the `webhook-id`. */
  readonly id: string;
  readonly event: AlertEvent;
  /** Undefined for a callback. */
  readonly ruleId: string | undefined;
  /** What is in one lane goes one after another, in the order of the events. */
  readonly lane: string;
  /** Who shares a bounded number of connections. */
  readonly party: string;
  readonly createdAtMs: number;
}

export interface ClaimedDelivery extends AlertDelivery {
  readonly tries: number;
  /** Whose it is until then. */
  readonly untilMs: number;
}

/** What came of one try. */
export interface Attempt {
  readonly atMs: number;
  readonly responseStatus: number | undefined;
  /** Undefined: it was delivered. */
  readonly error: string | undefined;
  /** When it is tried again, if it is. */
  readonly nextAtMs: number | undefined;
}

/** What has happened, and what of it is on its way: several hubs share the work. */
export interface AlertOutbox {
  /** For what has no transaction of its own; else the store of the change adds it to its own. */
  tell(event: AlertEvent): Promise<void>;
  /** Events that have not been spread to their receivers, in their order. */
  unspread(limit: number): Promise<AlertEvent[]>;
  /** The same again, by this hub or another, counts once. */
  spread(delivery: AlertDelivery): Promise<void>;
  /** The same by mail: from here on it is the mail's outbox that sees to it. */
  spreadMail(delivery: AlertDelivery, mail: OutgoingMail): Promise<void>;
  /** All that comes of the event is on record. */
  settled(eventId: string): Promise<void>;
  /**
   * The first delivery of the lane that has been due for the longest, for this caller alone until `untilMs`; undefined when
   * none is due but those of `busy` parties.
   */
  claimDue(nowMs: number, untilMs: number, busy: readonly string[]): Promise<ClaimedDelivery | undefined>;
  /** False when the claim was over and another has it. */
  tried(delivery: ClaimedDelivery, attempt: Attempt): Promise<boolean>;
  /** It was not tried to its end: due again at once, for whoever comes. */
  release(delivery: ClaimedDelivery, nowMs: number): Promise<void>;
}

/** Whether anybody is connected under an agent name of a workspace. */
export interface AgentPresence extends Presence {
  readonly workspaceId: string;
  readonly agentName: string;
  /** From 0, raised by each change. */
  readonly revision: number;
}

export interface AgentPresences {
  find(workspaceId: string, agentName: string): Promise<AgentPresence | undefined>;
  /** In place of the revision before it, with what is to be told of it; false when another was faster. */
  store(presence: AgentPresence, event: AlertEvent | undefined): Promise<boolean>;
  /** Those that have been away since then or longer. */
  awaySince(untilMs: number): Promise<AgentPresence[]>;
  online(): Promise<AgentPresence[]>;
}

/** A workspace that has used a share of its quota, and was not told. */
export interface QuotaCrossing {
  readonly workspaceId: string;
  readonly period: string;
  readonly used: number;
}

export interface QuotaShare {
  readonly period: string;
  readonly percent: number;
}

export interface QuotaMarks {
  /** Those of a plan that have used so many in the period, and whose crossing of the share is not on record. */
  crossed(at: QuotaShare & { readonly plan: Plan; readonly used: number }): Promise<QuotaCrossing[]>;
  /** Puts it on record with its alert, both or neither; false when that was done already. */
  mark(crossing: QuotaCrossing, percent: number, event: AlertEvent): Promise<boolean>;
}

import type { AlertEvent, AlertFilter, ToldEventName } from '@svc/core/alert/event';
import type { Presence } from '@svc/core/alert/presence';

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

/** Whether anybody is connected under an agent name of a workspace. */
export interface AgentPresence extends Presence {
  readonly workspaceId: string;
  readonly agentName: string;
  /** From 0, raised by each change. */
  readonly revision: number;
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

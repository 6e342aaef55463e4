import type { AlertEvent, AlertFilter, AnyEventName } from '@svc/core/alert/event';
import type { Presence } from '@svc/core/alert/presence';

// Alerts: rules, events and deliveries (decision 39, alerts).

export const ALERT_CHANNELS = ['webhook', 'slack', 'email'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** The URL of a webhook or a chat is a credential, so it is sealed like the signing secret. */
export interface AlertRule extends AlertFilter {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly channel: AlertChannel;
  /** The URL, or the e-mail address; sealed for (`alert_target`, id of the rule). */
  readonly sealedTarget: string;
  /** The part of the target that people may see. */
  readonly shownTarget: string;
  /** Only webhooks have one. */
  readonly secret: SigningSecret | undefined;
  readonly isEnabled: boolean;
  /** The minutes without a success after which `no_success_since` is sent; undefined: the rule does not wait for one. */
  readonly noSuccessMins: number | undefined;
  /** Undefined: the rule was made through the API. */
  readonly declared: DeclaredBy | undefined;
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Each change increments it. A change that was decided on an older revision is refused. */
  readonly revision: number;
}

/** The declaration of a rule in the file of an agent (decision 70, alert rules in a file). */
export interface DeclaredBy {
  readonly endpointId: string;
  /** The name of the rule in its endpoint. */
  readonly key: string;
  /** The token and the process whose file has it: they decide whether the rule may use a secret. */
  readonly tokenId: string;
  readonly instance: string;
}

/** A declared rule, and the agent name that its endpoint belongs to; undefined: the endpoint was removed. */
export interface DeclaredRule {
  readonly rule: AlertRule;
  readonly registeredBy: string | undefined;
}

/** Sealed for (`alert_secret`, id of the rule), or for (`callback_secret`, id of the workspace). */
export interface SigningSecret {
  readonly sealed: string;
  /** The previous secret also signs until `untilMs`. */
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
  readonly event: AnyEventName;
  readonly state: DeliveryState;
  readonly tries: number;
  readonly createdAtMs: number;
  readonly triedAtMs: number | undefined;
  /** The time of the next attempt. */
  readonly nextAtMs: number | undefined;
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
}

/** One alert for one receiver. */
export interface AlertDelivery {
  /** Derived from event and receiver, so that creating it twice gives the same id; also the `webhook-id`. */
  readonly id: string;
  readonly event: AlertEvent;
  /** Undefined for a callback. */
  readonly ruleId: string | undefined;
  /** The delivery queue: its deliveries are sent one after another, in the order of the events. */
  readonly queue: string;
  /** Deliveries of one party share a bounded number of connections. */
  readonly party: string;
  readonly createdAtMs: number;
}

export interface ClaimedDelivery extends AlertDelivery {
  readonly tries: number;
  /** The claim expires at this time. */
  readonly untilMs: number;
}

/** The result of one attempt. */
export interface Attempt {
  readonly atMs: number;
  readonly responseStatus: number | undefined;
  /** Undefined: the alert was delivered. */
  readonly error: string | undefined;
  /** The time of the next attempt; undefined: there is none. */
  readonly nextAtMs: number | undefined;
}

/** Whether any process is connected under an agent name of a workspace. */
export interface AgentPresence extends Presence {
  readonly workspaceId: string;
  readonly agentName: string;
  /** Starts at 0; each change increments it. */
  readonly revision: number;
}

/** A workspace that has used a share of its quota, and has no alert about it yet. */
export interface QuotaCrossing {
  readonly workspaceId: string;
  readonly period: string;
  readonly used: number;
}

export interface QuotaShare {
  readonly period: string;
  readonly percent: number;
}

import type { AnyEventName } from '@svc/core/alert/event';
import type { AgentPresence, AlertChannel, DeliveryState } from '../alert-ports.ts';

export interface AlertRuleRow {
  id: string;
  workspace_id: string;
  name: string;
  /** JSON array of names. */
  events: string;
  slug: string | null;
  agent_name: string | null;
  channel: AlertChannel;
  sealed_target: string;
  shown_target: string;
  sealed_secret: string | null;
  previous_secret: string | null;
  previous_until_ms: number | null;
  enabled: number;
  created_by: string;
  created_at_ms: number;
  revision: number;
  no_success_mins: number | null;
  /** The id of the endpoint whose file declares the rule; null: it was made through the API. */
  declared_by: string | null;
  declared_as: string | null;
  declared_token: string | null;
  declared_instance: string | null;
}

/** A rule whose alert about a missing success was sent, and that waits for the next success. */
export interface MissingSuccessRow {
  rule_id: string;
  workspace_id: string;
  alerted_at_ms: number;
}

export interface CallbackSecretRow {
  workspace_id: string;
  sealed_secret: string;
  previous_secret: string | null;
  previous_until_ms: number | null;
}

export interface AlertEventRow {
  id: string;
  workspace_id: string;
  name: AnyEventName;
  at_ms: number;
  slug: string | null;
  agent_name: string | null;
  /** JSON object. */
  data: string;
  sealed_link: string | null;
  callback_url: string | null;
}

export interface AlertQueueRow {
  id: string;
  party: string;
  /** The number of deliveries in the queue. */
  waiting: number;
  /** The time of the next attempt, or of the end of a claim; null: nothing waits. */
  due_at_ms: number | null;
}

export interface AlertDeliveryRow extends Omit<AlertEventRow, 'name' | 'at_ms'> {
  rule_id: string | null;
  lane: string;
  party: string;
  event_id: string;
  event_name: AnyEventName;
  event_at_ms: number;
  /** `mailed`: the row of `mails` with the same id has the state. */
  state: DeliveryState | 'mailed';
  tries: number;
  created_at_ms: number;
  tried_at_ms: number | null;
  next_at_ms: number | null;
  response_status: number | null;
  error: string | null;
}

export interface AgentPresenceRow {
  workspace_id: string;
  agent_name: string;
  state: AgentPresence['state'];
  /** JSON array of the processes that are connected. */
  processes: string;
  since_ms: number;
  revision: number;
}

/** The events about one endpoint, which the file of an agent may ask for. */
export const ENDPOINT_EVENTS = [
  'approval.pending',
  'approval.decided',
  'approval.expired',
  'execution.failed',
  'execution.timed_out',
  'execution.lost',
  'execution.succeeded',
  'execution.recovered',
  'no_success_since',
  'schedule.missed',
] as const;

/** The events of alert rules, a closed list (decision 39, alerts). */
export const ALERT_EVENTS = [
  ...ENDPOINT_EVENTS,
  'agent.offline',
  'agent.online',
  'agent.journal_damaged',
  'quota.80',
  'quota.100',
  'pipeline.failed',
  'pipeline.succeeded',
  'hub.store_damaged',
] as const;
export type AlertEventName = (typeof ALERT_EVENTS)[number];

/**
 * Further events: the end of an execution for a `callback_url`, a test of one rule, and the first success after
 * `no_success_since`, for the rule that had it.
 */
export const OTHER_EVENTS = ['execution.finished', 'success_resumed', 'test'] as const;
export type AnyEventName = AlertEventName | (typeof OTHER_EVENTS)[number];

/** An event that may cause alerts. It is stored in the transaction of the change that causes it. */
export interface AlertEvent {
  /** A UUID of version 7: alerts of a rule go out in the order of these. */
  readonly id: string;
  readonly workspaceId: string;
  readonly name: AnyEventName;
  readonly atMs: number;
  /** The slug of the endpoint or pipeline that it concerns, if any. */
  readonly slug: string | undefined;
  /** The name of the agent that it concerns, if any. */
  readonly agentName: string | undefined;
  /** The data in wire format; the schemas are in `payload.ts`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The page for people, encrypted because it may grant access. */
  readonly sealedLink: string | undefined;
  /** The `callback_url` of the endpoint or of the call, which gets the event regardless of rules. */
  readonly callbackUrl: string | undefined;
}

/** The events that a rule selects. */
export interface AlertFilter {
  readonly events: readonly AlertEventName[];
  /** Only events of this endpoint or pipeline. */
  readonly slug: string | undefined;
  /** Only events of this agent. */
  readonly agentName: string | undefined;
}

/**
 * Whether a rule selects an event. An event without an endpoint does not pass a filter of one. An event of one rule, which its data
 * name, is for no other rule.
 */
export function isWanted(
  { id, events, slug, agentName }: AlertFilter & { readonly id: string },
  event: AlertEvent,
): boolean {
  const { rule_id: onlyRule = id } = event.data;
  const name = event.name === 'success_resumed' ? 'no_success_since' : event.name;
  return (
    onlyRule === id &&
    (events as readonly string[]).includes(name) &&
    (slug === undefined || slug === event.slug) &&
    (agentName === undefined || agentName === event.agentName)
  );
}

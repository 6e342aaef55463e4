/** What rules may listen to, closed (decision 39). */
export const ALERT_EVENTS = [
  'approval.pending',
  'approval.decided',
  'approval.expired',
  'execution.failed',
  'execution.timed_out',
  'execution.lost',
  'schedule.missed',
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

/** What is told besides: the end of an execution to its endpoint's `callback_url`, and a trial to one rule. */
export const OTHER_EVENTS = ['execution.finished', 'test'] as const;
export type ToldEventName = AlertEventName | (typeof OTHER_EVENTS)[number];

/** Something that people may want to hear of; stored with the change that it tells, or not at all. */
export interface AlertEvent {
  /** A UUID of version 7: alerts of a rule go out in the order of these. */
  readonly id: string;
  readonly workspaceId: string;
  readonly name: ToldEventName;
  readonly atMs: number;
  /** The slug of the endpoint or pipeline that it is about, if it is about one. */
  readonly slug: string | undefined;
  /** The name of the agent that it is about, if it is about one. */
  readonly agentName: string | undefined;
  /** As it goes over the wire: the schemas are in `payload.ts`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The page on which people can do something about it, sealed: it may let whoever has it in. */
  readonly sealedLink: string | undefined;
  /** The one address that is told whatever the rules say: the endpoint's `callback_url`. */
  readonly callbackUrl: string | undefined;
}

/** Which events a rule wants. */
export interface AlertFilter {
  readonly events: readonly AlertEventName[];
  /** Only what is about this endpoint or pipeline. */
  readonly slug: string | undefined;
  /** Only what is about this agent. */
  readonly agentName: string | undefined;
}

/** Whether a rule wants an event; what is about no endpoint does not pass the filter of one. */
export function isWanted({ events, slug, agentName }: AlertFilter, event: AlertEvent): boolean {
  return (
    (events as readonly string[]).includes(event.name) &&
    (slug === undefined || slug === event.slug) &&
    (agentName === undefined || agentName === event.agentName)
  );
}

import type { AlertEvent, ToldEventName } from './event.ts';
import type { PayloadData } from './payload.ts';

/** The fields of every event. */
export interface AlertMessage {
  /** A new UUID of version 7. */
  readonly id: string;
  readonly workspaceId: string;
  readonly atMs: number;
}

/** The optional fields of an event. */
export interface ToldBesides {
  readonly agentName?: string | undefined;
  /** The page for people, encrypted for (`alert`, id of the event). */
  readonly sealedLink?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

type Named<Group extends string> = Extract<ToldEventName, `${Group}.${string}`>;

/** An event of an approval; `callbackUrl` is for a decision if the endpoint has one. */
export function tellApproval<Name extends Named<'approval'>>(
  told: AlertMessage,
  name: Name,
  data: PayloadData<Name>,
  besides: ToldBesides = {},
): AlertEvent {
  return eventOf(told, name, data, { slug: data.endpoint, ...besides });
}

/** A fire of a schedule that did not start. */
export function tellMissed(told: AlertMessage, data: PayloadData<'schedule.missed'>): AlertEvent {
  return eventOf(told, 'schedule.missed', data, { slug: data.endpoint });
}

/** The end of a pipeline run. */
export function tellPipeline<Name extends Named<'pipeline'>>(
  told: AlertMessage,
  name: Name,
  data: PayloadData<Name>,
): AlertEvent {
  return eventOf(told, name, data, { slug: data.pipeline });
}

/** An agent name that went offline or came online. */
export function tellAgent(
  told: AlertMessage,
  name: Exclude<Named<'agent'>, 'agent.journal_damaged'>,
  { agentName, sinceMs }: { readonly agentName: string; readonly sinceMs: number },
): AlertEvent {
  return eventOf(told, name, { agent: agentName, since: timeText(sinceMs) }, { agentName });
}

/** An agent that became a new instance because its journal was damaged. */
export function tellJournalDamaged(
  told: AlertMessage,
  { agentName, sinceMs, reason }: { agentName: string; sinceMs: number; reason: string },
): AlertEvent {
  const data = { agent: agentName, since: timeText(sinceMs), reason };
  return eventOf(told, 'agent.journal_damaged', data, { agentName });
}

/** A share of the monthly executions is used. */
export function tellQuota(
  told: AlertMessage,
  name: Named<'quota'>,
  data: PayloadData<'quota.80'>,
): AlertEvent {
  return eventOf(told, name, data, {});
}

/** A damaged store of this hub, reported only to the workspaces of operators. */
export function tellDamage(told: AlertMessage, data: PayloadData<'hub.store_damaged'>): AlertEvent {
  return eventOf(told, 'hub.store_damaged', data, {});
}

/** A test of one rule. */
export function tellTest(told: AlertMessage, rule: string): AlertEvent {
  return eventOf(told, 'test', { rule }, {});
}

/** An event of any kind, from its data. */
export function eventOf<Name extends ToldEventName>(
  { id, workspaceId, atMs }: AlertMessage,
  name: Name,
  data: PayloadData<Name>,
  { slug, agentName, sealedLink, callbackUrl }: ToldBesides & { readonly slug?: string | undefined },
): AlertEvent {
  return { id, workspaceId, atMs, name, data, slug, agentName, sealedLink, callbackUrl };
}

/** RFC 3339, UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}

import type { AlertEvent, ToldEventName } from './event.ts';
import type { PayloadData } from './payload.ts';

/** What every event has, whoever tells it. */
export interface AlertMessage {
  /** A new UUID of version 7. */
  readonly id: string;
  readonly workspaceId: string;
  readonly atMs: number;
}

/** What may come with an event besides its data. */
export interface ToldBesides {
  readonly agentName?: string | undefined;
  /** The page for people, sealed for (`alert`, id of the event). */
  readonly sealedLink?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

type Named<Group extends string> = Extract<ToldEventName, `${Group}.${string}`>;

/** For what happens to approvals; `callbackUrl` is for a decision on a call whose endpoint has one. */
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

/** How a pipeline run ended. */
export function tellPipeline<Name extends Named<'pipeline'>>(
  told: AlertMessage,
  name: Name,
  data: PayloadData<Name>,
): AlertEvent {
  return eventOf(told, name, data, { slug: data.pipeline });
}

/** An agent name of which no process is connected any more, or one is again. */
export function tellAgent(
  told: AlertMessage,
  name: Exclude<Named<'agent'>, 'agent.journal_damaged'>,
  { agentName, sinceMs }: { readonly agentName: string; readonly sinceMs: number },
): AlertEvent {
  return eventOf(told, name, { agent: agentName, since: timeText(sinceMs) }, { agentName });
}

/** An agent that began as a new instance, because its journal could not be believed. */
export function tellJournalDamaged(
  told: AlertMessage,
  { agentName, sinceMs, reason }: { agentName: string; sinceMs: number; reason: string },
): AlertEvent {
  const data = { agent: agentName, since: timeText(sinceMs), reason };
  return eventOf(told, 'agent.journal_damaged', data, { agentName });
}

/** A share of the monthly executions is used up. */
export function tellQuota(
  told: AlertMessage,
  name: Named<'quota'>,
  data: PayloadData<'quota.80'>,
): AlertEvent {
  return eventOf(told, name, data, {});
}

/** The store of this hub is damaged: for the workspaces of operators alone. */
export function tellDamage(told: AlertMessage, data: PayloadData<'hub.store_damaged'>): AlertEvent {
  return eventOf(told, 'hub.store_damaged', data, {});
}

/** A trial of one rule. */
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

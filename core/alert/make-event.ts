import type { AlertEvent, AnyEventName } from './event.ts';
import type { PayloadData } from './payload.ts';

/** The fields of every event. */
export interface AlertHeader {
  /** A new UUID of version 7. */
  readonly id: string;
  readonly workspaceId: string;
  readonly atMs: number;
}

/** The optional fields of an event. */
export interface AlertExtras {
  readonly agentName?: string | undefined;
  /** The page for people, encrypted for (`alert`, id of the event). */
  readonly sealedLink?: string | undefined;
  readonly callbackUrl?: string | undefined;
}

type Named<Group extends string> = Extract<AnyEventName, `${Group}.${string}`>;

/** An event of an approval; `callbackUrl` is for a decision if the endpoint has one. */
export function approvalAlert<Name extends Named<'approval'>>(
  header: AlertHeader,
  name: Name,
  data: PayloadData<Name>,
  extras: AlertExtras = {},
): AlertEvent {
  return eventOf(header, name, data, { slug: data.endpoint, ...extras });
}

/** A fire of a schedule that did not start. */
export function missedFireAlert(header: AlertHeader, data: PayloadData<'schedule.missed'>): AlertEvent {
  return eventOf(header, 'schedule.missed', data, { slug: data.endpoint });
}

/** The end of a pipeline run. */
export function pipelineAlert<Name extends Named<'pipeline'>>(
  header: AlertHeader,
  name: Name,
  data: PayloadData<Name>,
): AlertEvent {
  return eventOf(header, name, data, { slug: data.pipeline });
}

/** An agent name that went offline or came online. */
export function agentAlert(
  header: AlertHeader,
  name: Exclude<Named<'agent'>, 'agent.journal_damaged'>,
  { agentName, sinceMs }: { readonly agentName: string; readonly sinceMs: number },
): AlertEvent {
  return eventOf(header, name, { agent: agentName, since: timeText(sinceMs) }, { agentName });
}

/** An agent that became a new instance because its journal was damaged. */
export function journalAlert(
  header: AlertHeader,
  { agentName, sinceMs, reason }: { agentName: string; sinceMs: number; reason: string },
): AlertEvent {
  const data = { agent: agentName, since: timeText(sinceMs), reason };
  return eventOf(header, 'agent.journal_damaged', data, { agentName });
}

/** A share of the monthly executions is used. */
export function quotaAlert(
  header: AlertHeader,
  name: Named<'quota'>,
  data: PayloadData<'quota.80'>,
): AlertEvent {
  return eventOf(header, name, data, {});
}

/** A damaged store of this hub, reported only to the workspaces of operators. */
export function damageAlert(header: AlertHeader, data: PayloadData<'hub.store_damaged'>): AlertEvent {
  return eventOf(header, 'hub.store_damaged', data, {});
}

/** A test of one rule. */
export function testAlert(header: AlertHeader, rule: string): AlertEvent {
  return eventOf(header, 'test', { rule }, {});
}

/** An event of any kind, from its data. */
export function eventOf<Name extends AnyEventName>(
  { id, workspaceId, atMs }: AlertHeader,
  name: Name,
  data: PayloadData<Name>,
  { slug, agentName, sealedLink, callbackUrl }: AlertExtras & { readonly slug?: string | undefined },
): AlertEvent {
  return { id, workspaceId, atMs, name, data, slug, agentName, sealedLink, callbackUrl };
}

/** RFC 3339, UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}

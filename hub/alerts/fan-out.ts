import { hash } from 'node:crypto';
import { alertLetter } from '@svc/core/alert/alert-letter';
import { callbackQueue, memberQueue, partyOf, ruleQueue, testQueue } from '@svc/core/alert/delivery-queue';
import { type AlertEvent, isWanted } from '@svc/core/alert/event';
import { wordsOf } from '@svc/core/alert/words';
import { layOutLetter } from '@svc/core/mail/letter';
import { Refusal } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { Clock, Vault } from '../platform/world.ts';

import type { AlertDelivery, AlertRule } from './alert-ports.ts';
import type { AlertOutbox } from './store/alert-outbox.ts';
import type { AlertRules } from './store/alert-rules.ts';

const BATCH_SIZE = 200;

export type FanOutDeps = { readonly accounts: Accounts; readonly vault: Vault; readonly clock: Clock } & {
  readonly alertRules: Pick<AlertRules, 'of'>;
  readonly alertOutbox: Pick<
    AlertOutbox,
    'eventsToFanOut' | 'addDelivery' | 'addMailDelivery' | 'removeEvent'
  >;
  /** The members who get a mail of an event although no rule says so. */
  readonly membersToMail: (event: AlertEvent) => Promise<readonly MailedMember[]>;
  /** Adds what people need beside the facts: the page, and the last lines of output. */
  readonly complete: (event: AlertEvent) => Promise<AlertEvent>;
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
};

/** A member with the address for mails. */
interface MailedMember {
  readonly userId: string;
  readonly email: string;
}

/** An event with all its receivers. */
interface AddressedEvent {
  readonly event: AlertEvent;
  readonly deliveries: readonly Addressed[];
}

interface Addressed {
  readonly delivery: AlertDelivery;
  /** Undefined for a callback. */
  readonly rule: AlertRule | undefined;
}

/**
 * Creates deliveries of events for every matching rule, until no event is left.
 *
 * NOTE: Several hubs may do this at once, and any of them may die meanwhile. The id of a delivery derives from event and
 * receiver, so it is stored once. An event is removed after all its deliveries are stored; later events of the queue wait.
 */
export async function fanOutEvents(deps: FanOutDeps): Promise<void> {
  for (;;) {
    const events = await deps.alertOutbox.eventsToFanOut(BATCH_SIZE);
    if (events.length === 0) return;
    const rules = await rulesOf(deps, events);
    const spreads = await Promise.all(
      events.map((event) => addressEvent(deps, event, rules.get(event.workspaceId) ?? [])),
    );
    for (const wave of wavesOf(spreads)) {
      await Promise.all(wave.flatMap(({ deliveries }) => deliveries.map((one) => deliver(deps, one))));
      await Promise.all(wave.map((one) => mailMembers(deps, one)));
      await Promise.all(wave.map(({ event }) => deps.alertOutbox.removeEvent(event.id)));
    }
  }
}

/** Sends one alert to one rule, regardless of its filters. Returns the id of the delivery. */
export async function tryRule(deps: FanOutDeps, rule: AlertRule, event: AlertEvent): Promise<string> {
  const delivery = { ...toRule(rule, event, deps.clock.nowMs()), queue: testQueue(event) };
  await deliver(deps, { rule, delivery });
  return delivery.id;
}

async function rulesOf(
  { alertRules }: FanOutDeps,
  events: readonly AlertEvent[],
): Promise<Map<string, AlertRule[]>> {
  const ids = [...new Set(events.map(({ workspaceId }) => workspaceId))];
  return new Map(await Promise.all(ids.map(async (id) => [id, await alertRules.of(id)] as const)));
}

async function addressEvent(
  deps: FanOutDeps,
  event: AlertEvent,
  rules: readonly AlertRule[],
): Promise<AddressedEvent> {
  const deliveries = addressed(event, rules, deps.clock.nowMs());
  if (deliveries.length === 0) return { event, deliveries };
  const complete = await deps.complete(event);
  // The link of an approval decides on it. A file does not choose who gets one, so its alerts link to the dashboard.
  const withoutGrant =
    event.sealedLink && deliveries.some(isDeclared)
      ? await deps.complete({ ...event, sealedLink: undefined })
      : complete;
  const completed = deliveries.map((one) => ({
    ...one,
    delivery: { ...one.delivery, event: isDeclared(one) ? withoutGrant : complete },
  }));
  return { event, deliveries: completed };
}

function isDeclared({ rule }: Addressed): boolean {
  return rule?.declared !== undefined;
}

function addressed(event: AlertEvent, rules: readonly AlertRule[], nowMs: number): Addressed[] {
  const wanting = rules.filter(
    (rule) => rule.isEnabled && rule.createdAtMs <= event.atMs && isWanted(rule, event),
  );
  const alerts = wanting.map((rule) => ({ rule, delivery: toRule(rule, event, nowMs) }));
  if (event.callbackUrl === undefined) return alerts;
  return [...alerts, { rule: undefined, delivery: toCallback(event, nowMs) }];
}

function toRule(rule: AlertRule, event: AlertEvent, createdAtMs: number): AlertDelivery {
  const id = deliveryId(event, rule.id);
  return {
    id,
    event,
    ruleId: rule.id,
    queue: ruleQueue(rule.id),
    party: partyOf(event, 'rule'),
    createdAtMs,
  };
}

function toCallback(event: AlertEvent, createdAtMs: number): AlertDelivery {
  return {
    id: deliveryId(event, 'callback'),
    event,
    ruleId: undefined,
    queue: callbackQueue(event, hash('sha256', event.callbackUrl ?? '').slice(0, 12)),
    party: partyOf(event, 'callback'),
    createdAtMs,
  };
}

function deliveryId({ id }: AlertEvent, receiver: string): string {
  return `msg_${hash('sha256', `${id} ${receiver}`).slice(0, 32)}`;
}

/** Groups events so that those of one delivery queue are handled one after another and all others concurrently. */
function* wavesOf(events: readonly AddressedEvent[]): Generator<AddressedEvent[]> {
  let wave: AddressedEvent[] = [];
  let taken = new Set<string>();
  for (const event of events) {
    const queues = event.deliveries.map(({ delivery }) => delivery.queue);
    if (queues.some((queue) => taken.has(queue))) {
      yield wave;
      [wave, taken] = [[], new Set()];
    }
    wave.push(event);
    for (const queue of queues) taken.add(queue);
  }
  yield wave;
}

async function deliver(deps: FanOutDeps, { delivery, rule }: Addressed): Promise<void> {
  const mail = rule?.channel === 'email' ? await mailTo(deps, rule, delivery) : undefined;
  // The deliverer records why the alert could not become a mail.
  if (mail === undefined) return await deps.alertOutbox.addDelivery(delivery);
  await deps.alertOutbox.addMailDelivery(delivery, mail);
  deps.onMail(mail);
}

/**
 * Mails the event to the members that it concerns, except those whom a rule of the workspace has mailed it to. The mail of
 * a file's rule has no link that decides, so it does not replace an approver's mail.
 */
async function mailMembers(deps: FanOutDeps, { event, deliveries }: AddressedEvent): Promise<void> {
  const members = await deps.membersToMail(event);
  if (members.length === 0) return;
  const rules = deliveries.flatMap(({ rule }) =>
    rule?.channel === 'email' && rule.declared === undefined ? [rule] : [],
  );
  const mailed = await Promise.all(rules.map((rule) => memberAddress(deps, rule).catch(() => undefined)));
  for (const { userId, email } of members) {
    if (mailed.includes(email)) continue;
    const id = deliveryId(event, `member ${userId}`);
    const createdAtMs = deps.clock.nowMs();
    const link = openedLink(deps, event);
    const letter = alertLetter(wordsOf(event.name, event.data), 'approver', link);
    const mail = { id, to: email, ...layOutLetter(letter), createdAtMs };
    const queue = memberQueue(userId);
    const party = partyOf(event, 'rule');
    await deps.alertOutbox.addMailDelivery({ id, event, ruleId: undefined, queue, party, createdAtMs }, mail);
    deps.onMail(mail);
  }
}

/** Undefined for a former member and for an address that cannot be opened; neither may block the other deliveries. */
async function mailTo(
  deps: FanOutDeps,
  rule: AlertRule,
  { id, event, createdAtMs }: AlertDelivery,
): Promise<OutgoingMail | undefined> {
  try {
    const to = await memberAddress(deps, rule);
    const letter = alertLetter(wordsOf(event.name, event.data), { rule: rule.name }, linkOf(deps, event));
    return to === undefined ? undefined : { id, to, ...layOutLetter(letter), createdAtMs };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
}

async function memberAddress({ accounts, vault }: FanOutDeps, rule: AlertRule): Promise<string | undefined> {
  const { workspaceId, id, sealedTarget } = rule;
  const address = vault.open(sealedTarget, { workspaceId, kind: 'alert_target', id });
  const user = await accounts.userByEmail(address);
  const member = user && (await accounts.member(workspaceId, user.id));
  return member?.email;
}

/** A link that cannot be opened is left out: it must not block the other deliveries. */
function openedLink(deps: FanOutDeps, event: AlertEvent): string | undefined {
  try {
    return linkOf(deps, event);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
}

function linkOf({ vault }: FanOutDeps, { id, workspaceId, sealedLink }: AlertEvent): string | undefined {
  return sealedLink === undefined
    ? undefined
    : vault.open(sealedLink, { workspaceId, kind: 'alert_link', id });
}

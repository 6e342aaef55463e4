import { MAX_IN_QUEUE } from '@svc/core/alert/delivery-queue';
import type { AlertEvent } from '@svc/core/alert/event';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { AlertDelivery, Attempt, ClaimedDelivery } from '../alert-ports.ts';
import { outboxQueries } from './outbox-queries.ts';
import { eventOfRow, eventRow, type PublishedEvents } from './published-events.ts';
import type { AlertDeliveryRow } from './table.ts';

export interface OutboxParts {
  readonly events: PublishedEvents;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/**
 * The outbox of alerts: events, then deliveries in queues. A hub claims a whole queue, so that its alerts keep their order.
 *
 * NOTE: The row of the queue comes first in each unit of work. It is the contended row, and groups lock such rows in order.
 */
export class AlertOutbox {
  readonly #database: Database;
  readonly #parts: OutboxParts;
  readonly #queries: ReturnType<typeof outboxQueries>;

  constructor(database: Database, parts: OutboxParts) {
    this.#database = database;
    this.#parts = parts;
    this.#queries = outboxQueries(database);
  }

  /** Publishes an event that has no transaction of its own. Other stores add the event to the transaction of their change. */
  publish(event: AlertEvent): Promise<void> {
    return this.#parts.events.publish(event);
  }

  /** Events without deliveries, in their order. */
  eventsToFanOut(limit: number): Promise<AlertEvent[]> {
    return this.#parts.events.eventsToFanOut(limit);
  }

  /** Removes an event after all its deliveries are stored. */
  removeEvent(eventId: string): Promise<void> {
    return this.#parts.events.removeEvent(eventId);
  }

  /** Stores a delivery. Storing the same delivery again, by this hub or another, has no effect. */
  async addDelivery(delivery: AlertDelivery): Promise<void> {
    const { queue, party, createdAtMs } = delivery;
    const enter = this.#queries.enter({ id: queue, party, waiting: 1, due_at_ms: createdAtMs });
    const outcome = await this.#database.commit([enter, this.#queries.add(rowOf(delivery, 'waiting'))]);
    if (outcome !== 'full') return;
    const refused = { ...rowOf(delivery, 'given_up'), error: `${MAX_IN_QUEUE} alerts wait before it` };
    await this.#database.commit([this.#queries.add(refused)]);
  }

  /** Stores a delivery by mail. The mail outbox takes over from there. */
  async addMailDelivery(delivery: AlertDelivery, mail: OutgoingMail): Promise<void> {
    // The delivery comes first: when it exists already, the mail must not be stored again.
    await this.#database.commit([
      this.#queries.add(rowOf(delivery, 'mailed')),
      this.#parts.mails.adding({ ...mail, id: delivery.id }),
    ]);
  }

  /**
   * Claims the first delivery of the queue that has been due for the longest, until `untilMs`. Undefined when
   * no queue is due except those of `busy` parties.
   */
  async claimDue(
    nowMs: number,
    untilMs: number,
    busy: readonly string[],
  ): Promise<ClaimedDelivery | undefined> {
    for (;;) {
      const queue = await firstRow(this.#database, once(dueQueue(this.#database, nowMs, busy)));
      if (queue === undefined) return undefined;
      const claim = this.#queries.claim({ id: queue.id, due_ms: queue.due_at_ms ?? 0, until_ms: untilMs });
      // Another hub was first; try the next queue.
      if ((await this.#database.commit([claim])) !== 'stored') continue;
      const first = await firstRow(this.#database, this.#queries.first({ queue: queue.id }));
      if (first !== undefined) return { ...deliveryOf(first), tries: first.tries, untilMs };
      const { id, waiting } = queue;
      await this.#database.commit([this.#queries.rest({ id, waiting, until_ms: untilMs })]);
    }
  }

  /** Records an attempt; false when the claim has expired and another hub has the delivery. */
  async tried(delivery: ClaimedDelivery, attempt: Attempt): Promise<boolean> {
    const { id, queue, untilMs } = delivery;
    const { atMs, nextAtMs, error, responseStatus } = attempt;
    const outcome = await this.#database.commit([
      nextAtMs === undefined
        ? this.#queries.leave({ id: queue, until_ms: untilMs, now_ms: atMs })
        : this.#queries.postpone({ id: queue, until_ms: untilMs, next_at_ms: nextAtMs }),
      this.#queries.tried({
        id,
        state: nextAtMs !== undefined ? 'waiting' : error === undefined ? 'delivered' : 'given_up',
        tried_at_ms: atMs,
        next_at_ms: nextAtMs ?? null,
        response_status: responseStatus ?? null,
        error: error ?? null,
      }),
    ]);
    return outcome === 'stored';
  }

  /** Releases a claim whose attempt was aborted. The delivery is due at once for any hub. */
  async release({ queue, untilMs }: ClaimedDelivery, nowMs: number): Promise<void> {
    const release = { id: queue, until_ms: untilMs, next_at_ms: nowMs };
    await this.#database.commit([this.#queries.postpone(release)]);
  }
}

function dueQueue({ build }: Database, nowMs: number, busy: readonly string[]) {
  const due = build
    .selectFrom('alert_lanes')
    .select(['id', 'waiting', 'due_at_ms'])
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .orderBy('id')
    .limit(1);
  return busy.length === 0 ? due : due.where('party', 'not in', busy);
}

function rowOf(delivery: AlertDelivery, state: AlertDeliveryRow['state']): AlertDeliveryRow {
  const { id: event_id, name: event_name, at_ms: event_at_ms, ...event } = eventRow(delivery.event);
  return {
    ...event,
    id: delivery.id,
    rule_id: delivery.ruleId ?? null,
    lane: delivery.queue,
    party: delivery.party,
    event_id,
    event_name,
    event_at_ms,
    state,
    tries: 0,
    created_at_ms: delivery.createdAtMs,
    tried_at_ms: null,
    next_at_ms: null,
    response_status: null,
    error: null,
  };
}

function deliveryOf(row: AlertDeliveryRow): AlertDelivery {
  const { event_id: id, event_name: name, event_at_ms: at_ms, workspace_id, slug, agent_name } = row;
  const { data, sealed_link, callback_url } = row;
  return {
    id: row.id,
    event: eventOfRow({ id, workspace_id, name, at_ms, slug, agent_name, data, sealed_link, callback_url }),
    ruleId: row.rule_id ?? undefined,
    queue: row.lane,
    party: row.party,
    createdAtMs: row.created_at_ms,
  };
}

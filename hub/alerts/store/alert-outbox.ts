import type { AlertEvent } from '@svc/core/alert/event';
import { MAX_IN_QUEUE } from '@svc/core/alert/lane';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutgoingMail } from '../../platform/mail/outbox-ports.ts';
import type { AlertDelivery, Attempt, ClaimedDelivery } from '../alert-ports.ts';
import { eventOfRow, eventRow } from './event-row.ts';
import { outboxQueries } from './outbox-queries.ts';
import type { ToldEvents } from './published-events.ts';
import type { AlertDeliveryRow } from './table.ts';

export interface OutboxParts {
  readonly events: ToldEvents;
  readonly mails: { adding(mail: OutgoingMail): Statement<never> };
}

/**
 * Alerts on their way: events, then deliveries in lanes. A lane is claimed as a whole, so that its alerts keep their order.
 *
 * NOTE: The row of the lane comes first in each unit: it is the one that others want, and groups take such rows in one order.
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

  /** For what has no transaction of its own; else the store of the change adds it to its own. */
  tell(event: AlertEvent): Promise<void> {
    return this.#parts.events.tell(event);
  }

  /** Events that have not been spread to their receivers, in their order. */
  unspread(limit: number): Promise<AlertEvent[]> {
    return this.#parts.events.unspread(limit);
  }

  /** All that comes of the event is on record. */
  settled(eventId: string): Promise<void> {
    return this.#parts.events.settled(eventId);
  }

  /** The same again, by this hub or another, counts once. */
  async spread(delivery: AlertDelivery): Promise<void> {
    const { lane, party, createdAtMs } = delivery;
    const enter = this.#queries.enter({ id: lane, party, waiting: 1, due_at_ms: createdAtMs });
    const outcome = await this.#database.commit([enter, this.#queries.add(rowOf(delivery, 'waiting'))]);
    if (outcome !== 'full') return;
    const refused = { ...rowOf(delivery, 'given_up'), error: `${MAX_IN_QUEUE} alerts wait before it` };
    await this.#database.commit([this.#queries.add(refused)]);
  }

  /** The same by mail: from here on it is the mail's outbox that sees to it. */
  async spreadMail(delivery: AlertDelivery, mail: OutgoingMail): Promise<void> {
    // The delivery goes first: where it is there already, the mail is not wanted.
    await this.#database.commit([
      this.#queries.add(rowOf(delivery, 'mailed')),
      this.#parts.mails.adding({ ...mail, id: delivery.id }),
    ]);
  }

  /**
   * The first delivery of the lane that has been due for the longest, for this caller alone until `untilMs`; undefined when
   * none is due but those of `busy` parties.
   */
  async claimDue(
    nowMs: number,
    untilMs: number,
    busy: readonly string[],
  ): Promise<ClaimedDelivery | undefined> {
    for (;;) {
      const lane = await firstRow(this.#database, once(dueLane(this.#database, nowMs, busy)));
      if (lane === undefined) return undefined;
      const claim = this.#queries.claim({ id: lane.id, due_ms: lane.due_at_ms ?? 0, until_ms: untilMs });
      // Another hub was faster: there may be other lanes.
      if ((await this.#database.commit([claim])) !== 'stored') continue;
      const first = await firstRow(this.#database, this.#queries.first({ lane: lane.id }));
      if (first !== undefined) return { ...deliveryOf(first), tries: first.tries, untilMs };
      const { id, waiting } = lane;
      await this.#database.commit([this.#queries.rest({ id, waiting, until_ms: untilMs })]);
    }
  }

  /** False when the claim was over and another has it. */
  async tried(delivery: ClaimedDelivery, attempt: Attempt): Promise<boolean> {
    const { id, lane, untilMs } = delivery;
    const { atMs, nextAtMs, error, responseStatus } = attempt;
    const outcome = await this.#database.commit([
      nextAtMs === undefined
        ? this.#queries.leave({ id: lane, until_ms: untilMs, now_ms: atMs })
        : this.#queries.postpone({ id: lane, until_ms: untilMs, next_at_ms: nextAtMs }),
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

  /** It was not tried to its end: due again at once, for whoever comes. */
  async release({ lane, untilMs }: ClaimedDelivery, nowMs: number): Promise<void> {
    const release = { id: lane, until_ms: untilMs, next_at_ms: nowMs };
    await this.#database.commit([this.#queries.postpone(release)]);
  }
}

function dueLane({ build }: Database, nowMs: number, busy: readonly string[]) {
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
    lane: delivery.lane,
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
  const { event_id: id, event_name: name, event_at_ms: at_ms } = row;
  return {
    id: row.id,
    event: eventOfRow({ ...row, id, name, at_ms }),
    ruleId: row.rule_id ?? undefined,
    lane: row.lane,
    party: row.party,
    createdAtMs: row.created_at_ms,
  };
}

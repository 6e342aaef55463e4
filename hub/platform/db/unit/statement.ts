import type { Forgotten } from '@svc/core/bus/frame';
import type { HubEvent } from '@svc/core/event/hub-event';

/** The types that a column can have in both databases: flags are 0 or 1, times are epoch milliseconds, JSON is text. */
export type Value = string | number | Uint8Array | null;

/** The text of an SQL statement that writes. The object is its identity: a database prepares it once and recognizes it. */
export interface StatementText<Tag extends string = string> {
  readonly sql: string;
  /** The unit is refused with this tag when the statement changes no row: the comparison of a compare-and-set. */
  readonly unlessChanged?: Tag;
  /**
   * The unit is refused with this tag when a row with its unique key exists. This is expensive: the whole group is tried a
   * second time.
   */
  readonly ifExists?: Tag;
  /**
   * The statement locks a row that many units need; its first value identifies the row. Groups lock such rows in one order.
   */
  readonly contended?: true;
  /** Written again and again while nobody uses the hub. SQLite then keeps no cache for it. */
  readonly periodic?: true;
  /** SQLite compresses these bytes. Readers must unpack them (`packed-bytes.ts`). */
  readonly packsBytes?: true;
}

export interface Statement<Tag extends string = string> {
  readonly text: StatementText<Tag>;
  readonly values: readonly Value[];
  /** Published after the commit of its unit. */
  readonly event?: HubEvent | undefined;
}

/** The same statement with the event that its unit publishes. */
export function withEvent<Tag extends string>(statement: Statement<Tag>, event: HubEvent): Statement<Tag> {
  return { ...statement, event };
}

/** The same unit with an event: after its commit hubs read this again. */
export function makingStale<Tag extends string>(
  unit: UnitOfWork<Tag>,
  ...what: readonly Forgotten[]
): UnitOfWork<Tag> {
  const [first, ...rest] = unit;
  return first === undefined ? unit : [withEvent(first, { kind: 'lookups_stale', what }), ...rest];
}

/** Statements that are stored together or not at all, in this order. */
export type UnitOfWork<Tag extends string = string> = readonly Statement<Tag>[];

export type Outcome =
  | { readonly kind: 'stored' }
  /** An expectation was not met; its tag. */
  | { readonly kind: 'refused'; readonly tag: string }
  /** A bug: the database does not take one of its statements. */
  | { readonly kind: 'failed'; readonly error: Error };

/** The result of a unit for its store: `stored`, or the tag of the refusal. A failed unit is a bug and is thrown. */
export function resultOf<Tag extends string>(outcome: Outcome): Tag | 'stored' {
  switch (outcome.kind) {
    case 'stored':
      return 'stored';
    case 'refused':
      // The database returns only tags of the unit's own statements.
      return outcome.tag as Tag;
    case 'failed':
      throw outcome.error;
  }
}

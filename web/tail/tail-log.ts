import type { TailMessage } from '@svc/core/api/contract/tail-message';

/** A row of the live output; its number stays the same while older rows are dropped. */
export type TailRow =
  | {
      readonly kind: 'line';
      readonly number: number;
      readonly executionId: string;
      readonly endpoint: string;
      readonly isError: boolean;
      readonly text: string;
    }
  /** Lines that the hub left out here. */
  | { readonly kind: 'dropped'; readonly number: number; readonly lines: number };

const MAX_ROWS = 20_000;
/** Dropping a quarter at once costs less than dropping one row at a time. */
const KEPT_ROWS = MAX_ROWS * 0.75;

/** The newest rows of the live output. */
export class TailLog {
  #rows: TailRow[] = [];
  #count = 0;

  /** All rows so far, dropped ones included. */
  get count(): number {
    return this.#count;
  }

  /** The kept rows. The array never changes afterwards. */
  rows(): readonly TailRow[] {
    return this.#rows.slice();
  }

  add(event: TailMessage): void {
    if (event.type === 'ready') return;
    this.#rows.push(rowOf(event, this.#count));
    this.#count += 1;
    if (this.#rows.length > MAX_ROWS) this.#rows = this.#rows.slice(-KEPT_ROWS);
  }
}

function rowOf(event: Exclude<TailMessage, { type: 'ready' }>, number: number): TailRow {
  if (event.type === 'dropped') return { kind: 'dropped', number, lines: event.lines };
  const { execution_id: executionId, endpoint, stream, data, cut } = event;
  const text = cut ? `${data}…` : data;
  return { kind: 'line', number, executionId, endpoint, isError: stream === 'stderr', text };
}

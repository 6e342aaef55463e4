/** A mark: the events from this number on, counted from 1, were written at this time or later. */
export type LineTime = readonly [event: number, ms: number];

export const MAX_LINE_TIMES = 1_000;
/** The latest time of a line after its start: 31 years. */
export const MAX_LINE_TIME_MS = 1_000_000_000_000;
const FIRST_STEP_MS = 100;

/**
 * Records when the output of an execution was written (decision 106, times of lines): a sparse list of marks, at least
 * 100 ms apart. When the list is full, the distance doubles. So a mark is dropped only when another is near, and a line that
 * a command prints every ten minutes keeps its time.
 */
export class LineTimes {
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #events = 0;
  #stepMs = FIRST_STEP_MS;
  #marks: LineTime[] = [];

  /** @param nowMs monotonic */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  get marks(): readonly LineTime[] {
    return this.#marks;
  }

  /** Counts events that were just written, and marks their time unless the last mark is too near. */
  add(events: number): void {
    if (events === 0) return;
    const ms = Math.min(Math.max(Math.round(this.#nowMs() - this.#startMs), 0), MAX_LINE_TIME_MS);
    const last = this.#marks.at(-1);
    if (last === undefined || ms - last[1] >= this.#stepMs) this.#mark([this.#events + 1, ms]);
    this.#events += events;
  }

  #mark(mark: LineTime): void {
    this.#marks.push(mark);
    while (this.#marks.length > MAX_LINE_TIMES) {
      this.#stepMs *= 2;
      this.#marks = apart(this.#marks, this.#stepMs);
    }
  }
}

/** Drops each mark that is less than `stepMs` after the last kept one. */
function apart(marks: readonly LineTime[], stepMs: number): LineTime[] {
  const kept: LineTime[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    if (last === undefined || mark[1] - last[1] >= stepMs) kept.push(mark);
  }
  return kept;
}

/** The time of the last mark at or before an event; undefined: there is none. */
export function timeOfEvent(marks: readonly LineTime[], event: number): number | undefined {
  let from = 0;
  let to = marks.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((marks[middle]?.[0] ?? 0) <= event) from = middle + 1;
    else to = middle;
  }
  return marks[from - 1]?.[1];
}

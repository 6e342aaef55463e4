/** The events from this number on were written at this time or later; numbers count from 1. */
export type LineTime = readonly [event: number, ms: number];

export const MAX_LINE_TIMES = 1_000;
/** The latest time of a line after its start: 31 years. */
export const MAX_LINE_TIME_MS = 1_000_000_000_000;
const FIRST_STEP_MS = 100;

/**
 * Notes when the output of an execution was written (decision 106, times of lines): a sparse list of marks, at least
 * 100 ms apart. A long list doubles that distance. So a mark is dropped only beside a near one, and a line that a command
 * prints every ten minutes keeps its time.
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

  /** Called when as many further events are there. */
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

/** The marks that are at least `stepMs` after the kept one before. */
function apart(marks: readonly LineTime[], stepMs: number): LineTime[] {
  const kept: LineTime[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    if (last === undefined || mark[1] - last[1] >= stepMs) kept.push(mark);
  }
  return kept;
}

/** The time of an event: that of the last mark at or before it. Undefined: no mark is. */
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

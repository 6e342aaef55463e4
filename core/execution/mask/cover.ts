/** A range of bytes, `end` excluded. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Ranges of bytes to mask, in order. Overlapping ranges are joined; touching ranges stay apart. */
export class Cover {
  #ranges: { start: number; end: number }[] = [];

  add(start: number, end: number): void {
    const last = this.#ranges.at(-1);
    if (last === undefined || last.end <= start) this.#ranges.push({ start, end });
    else if (last.start <= start) last.end = Math.max(last.end, end);
    else this.#merge(start, end);
  }

  /** Handles a range that begins before the last one or several. */
  #merge(start: number, end: number): void {
    const later: { start: number; end: number }[] = [];
    let whole = { start, end };
    for (let last = this.#ranges.at(-1); last !== undefined && last.end > start; last = this.#ranges.at(-1)) {
      this.#ranges.pop();
      if (last.start >= end) later.push(last);
      else whole = { start: Math.min(whole.start, last.start), end: Math.max(whole.end, last.end) };
    }
    this.#ranges.push(whole, ...later.reverse());
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Removes the ranges that begin before `limit`. The others are counted from `limit` afterwards. */
  takeBefore(limit: number): ByteRange[] {
    const taken = this.#ranges.filter(({ start }) => start < limit);
    this.#ranges = this.#ranges
      .slice(taken.length)
      .map(({ start, end }) => ({ start: start - limit, end: end - limit }));
    return taken;
  }
}

import { readLine } from '../ansi/read-line.ts';
import type { LineLog } from '../line-log.ts';

/** Longer lines are cut until opened: a line can have 64 KiB. */
export const DRAWN_CHARS = 4_000;

/**
 * The rows that each line of a log takes on the screen, and so its position.
 *
 * Without wrapping a line takes one row. With it the length of the text gives an estimate, exact for characters one cell wide;
 * the view corrects it by `correct`.
 */
export class LineRows {
  readonly #log: LineLog;
  /** Cells in a row; undefined: lines are not wrapped. */
  #columns: number | undefined;
  #first: number;
  #rows: number[] = [];
  /** A Fenwick tree over the rows, so that one line can change in logarithmic time. */
  #sums: number[] = [];

  constructor(log: LineLog, columns: number | undefined) {
    this.#log = log;
    this.#columns = columns;
    this.#first = log.first;
    this.sync();
  }

  get columns(): number | undefined {
    return this.#columns;
  }

  get total(): number {
    return this.#columns === undefined ? this.#log.end - this.#log.first : this.#sumOf(this.#rows.length);
  }

  /** Takes over the lines that the log has added and dropped. */
  sync(): void {
    if (this.#columns === undefined) return;
    if (this.#log.first > this.#first) {
      const kept = this.#rows.slice(this.#log.first - this.#first);
      this.#first = this.#log.first;
      this.#rows = [];
      this.#sums = [];
      for (const rows of kept) this.#push(rows);
    }
    for (let line = this.#first + this.#rows.length; line < this.#log.end; line += 1)
      this.#push(this.#estimate(line));
  }

  /** The number of rows above a line. */
  above(line: number): number {
    const place = Math.min(Math.max(line, this.#log.first), this.#log.end) - this.#log.first;
    return this.#columns === undefined ? place : this.#sumOf(Math.min(place, this.#rows.length));
  }

  /** The line at a row; beyond the ends the first or the last one. */
  lineAt(row: number): number {
    const last = Math.max(this.#log.end - 1, this.#log.first);
    if (this.#columns === undefined) return clamp(this.#log.first + row, this.#log.first, last);
    return clamp(this.#first + this.#countWithin(row), this.#log.first, last);
  }

  /** Sets the measured rows of a line. Returns whether the estimate was wrong. */
  correct(line: number, rows: number): boolean {
    const place = line - this.#first;
    const before = this.#rows[place];
    if (before === undefined || before === rows || rows < 1) return false;
    this.#rows[place] = rows;
    for (let at = place + 1; at <= this.#sums.length; at += at & -at)
      this.#sums[at - 1] = this.#sum(at) + rows - before;
    return true;
  }

  #estimate(line: number): number {
    const text = this.#log.at(line)?.text ?? '';
    const cells = text.includes('\u001b') ? readLine(text).text.length : text.length;
    return Math.max(Math.ceil(Math.min(cells, DRAWN_CHARS) / (this.#columns ?? 1)), 1);
  }

  #push(rows: number): void {
    this.#rows.push(rows);
    const at = this.#rows.length;
    let sum = rows;
    for (let below = 1; below < (at & -at); below *= 2) sum += this.#sum(at - below);
    this.#sums.push(sum);
  }

  #sum(at: number): number {
    return this.#sums[at - 1] ?? 0;
  }

  #sumOf(count: number): number {
    let sum = 0;
    for (let at = count; at > 0; at -= at & -at) sum += this.#sum(at);
    return sum;
  }

  /** The largest number of lines that fit in `rows` rows. */
  #countWithin(rows: number): number {
    let count = 0;
    let left = rows;
    for (let step = highestPower(this.#sums.length); step >= 1; step /= 2) {
      const next = count + step;
      if (next > this.#sums.length || this.#sum(next) > left) continue;
      count = next;
      left -= this.#sum(next);
    }
    return count;
  }
}

function highestPower(value: number): number {
  return value < 1 ? 0 : 2 ** Math.floor(Math.log2(value));
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

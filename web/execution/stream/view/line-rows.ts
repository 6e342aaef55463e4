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
  /** The index of the first line that was in the log. Lines before it take one row each until they are. */
  #loaded: number;
  #rows: number[] = [];
  /** A Fenwick tree over the rows, so that one line can change in logarithmic time. */
  #sums: number[] = [];

  constructor(log: LineLog, columns: number | undefined) {
    this.#log = log;
    this.#columns = columns;
    this.#first = log.start;
    this.#loaded = log.first;
    this.sync();
  }

  get columns(): number | undefined {
    return this.#columns;
  }

  /** The line that stays where it is when earlier ones arrive: the first in sight that is loaded, if there is one. */
  anchorLine(topRow: number, bottomRow: number): number {
    const top = this.lineAt(topRow);
    return this.lineAt(bottomRow) < this.#loaded ? top : Math.max(top, this.#loaded);
  }

  get total(): number {
    return this.#columns === undefined ? this.#log.end - this.#log.start : this.#sumOf(this.#rows.length);
  }

  /** Takes over the lines that the log has added and dropped. Returns whether earlier lines were added. */
  sync(): boolean {
    const { first, start, end } = this.#log;
    const isEarlier = first < this.#loaded;
    if (this.#columns !== undefined) {
      if (start > this.#first) this.#rebuild(this.#rows.slice(start - this.#first));
      this.#first = start;
      if (isEarlier)
        this.#rebuild(
          this.#rows.map((rows, place) => {
            const line = start + place;
            return line >= first && line < this.#loaded ? this.#estimate(line) : rows;
          }),
        );
      for (let line = start + this.#rows.length; line < end; line += 1) this.#push(this.#estimate(line));
    }
    this.#loaded = first;
    return isEarlier;
  }

  /** The number of rows above a line. */
  above(line: number): number {
    const place = clamp(line, this.#log.start, this.#log.end) - this.#log.start;
    return this.#columns === undefined ? place : this.#sumOf(Math.min(place, this.#rows.length));
  }

  /** The line at a row; beyond the ends the first or the last one. */
  lineAt(row: number): number {
    const { start, end } = this.#log;
    const last = Math.max(end - 1, start);
    if (this.#columns === undefined) return clamp(start + row, start, last);
    return clamp(this.#first + this.#countWithin(row), start, last);
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

  #rebuild(rows: readonly number[]): void {
    this.#rows = [];
    this.#sums = [];
    for (const count of rows) this.#push(count);
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

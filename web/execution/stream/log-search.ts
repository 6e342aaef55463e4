import { readLine } from './ansi/read-line.ts';
import type { LineLog } from './line-log.ts';

/** A match in the output. */
export interface Match {
  readonly line: number;
  /** The number of the match in its line, from 0. */
  readonly nth: number;
}

/** Part of a line's text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Lines searched between two checks of the clock. */
const LINES_PER_CHECK = 200;

/** Searches a growing log in slices, so that the page stays responsive. */
export class LogSearch {
  readonly #log: LineLog;
  readonly #pattern: RegExp;
  readonly #isRaw: boolean;
  /** The lines with matches, and for each the count of matches up to and including it. */
  #lines: number[] = [];
  #counts: number[] = [];
  #next: number;

  /**
   * The search is case-sensitive if the query is text with a capital. `raw`: control sequences count as text.
   *
   * @param query text, or a global expression
   */
  constructor(log: LineLog, query: string | RegExp, { raw = false } = {}) {
    this.#log = log;
    this.#isRaw = raw;
    this.#pattern = typeof query === 'string' ? patternOf(query) : new RegExp(query);
    this.#next = log.first;
  }

  get total(): number {
    return this.#counts.at(-1) ?? 0;
  }

  /** Whether `firstFrom(line)` is final, however the search continues. */
  isDecidedFrom(line: number): boolean {
    return this.isComplete || (this.#lines.at(-1) ?? -1) >= line;
  }

  /** Every line has been searched. */
  get isComplete(): boolean {
    return this.#next >= this.#log.end;
  }

  /** Searches until the end of the log or until time is up. Returns whether there are new matches. */
  advance(hasTime: () => boolean): boolean {
    const before = this.total;
    if (this.#log.first > 0) this.#forgetBefore(this.#log.first);
    while (!this.isComplete && hasTime()) {
      const until = Math.min(this.#next + LINES_PER_CHECK, this.#log.end);
      for (; this.#next < until; this.#next += 1) this.#searchLine(this.#next);
    }
    return this.total !== before;
  }

  /** The match with this number, counted from 0. */
  at(ordinal: number): Match | undefined {
    if (ordinal < 0 || ordinal >= this.total) return undefined;
    const place = firstWhere(this.#counts, (count) => count > ordinal);
    const line = this.#lines[place];
    return line === undefined ? undefined : { line, nth: ordinal - (this.#counts[place - 1] ?? 0) };
  }

  /** The number of the first match in this line or after it; 0 if there is none. */
  firstFrom(line: number): number {
    const place = firstWhere(this.#lines, (found) => found >= line);
    return place >= this.#lines.length ? 0 : (this.#counts[place - 1] ?? 0);
  }

  rangesIn(text: string): TextRange[] {
    this.#pattern.lastIndex = 0;
    const matches = [...text.matchAll(this.#pattern)];
    return matches.map((match) => ({ from: match.index, to: match.index + match[0].length }));
  }

  #searchLine(index: number): void {
    const line = this.#log.at(index);
    if (line === undefined) return;
    const text = this.#isRaw ? line.text : readLine(line.text).text;
    let found = 0;
    this.#pattern.lastIndex = 0;
    while (this.#pattern.test(text)) found += 1;
    if (found === 0) return;
    this.#counts.push(this.total + found);
    this.#lines.push(index);
  }

  #forgetBefore(line: number): void {
    this.#next = Math.max(this.#next, line);
    const place = firstWhere(this.#lines, (found) => found >= line);
    if (place === 0) return;
    const gone = this.#counts[place - 1] ?? 0;
    this.#lines = this.#lines.slice(place);
    this.#counts = this.#counts.slice(place).map((count) => count - gone);
  }
}

function patternOf(query: string): RegExp {
  const literal = query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(literal, /\p{Lu}/u.test(query) ? 'gu' : 'giu');
}

/** The first index of a sorted list at which `holds` is true; the length of the list if there is none. */
function firstWhere(list: readonly number[], holds: (value: number) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = list[middle];
    if (value !== undefined && holds(value)) high = middle;
    else low = middle + 1;
  }
  return low;
}

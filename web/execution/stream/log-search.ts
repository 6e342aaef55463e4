import { readLine } from './ansi/read-line.ts';
import type { LineLog } from './line-log.ts';

/** A place in the output where the searched text stands. */
export interface Match {
  readonly line: number;
  /** Which of the matches in its line it is. */
  readonly nth: number;
}

/** Part of a line's text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Between two looks at the clock: lines are short. */
const LINES_PER_LOOK = 200;

/** Looks for a text in a log that may still grow, a slice at a time, so that nothing else waits for it. */
export class LogSearch {
  readonly #log: LineLog;
  readonly #pattern: RegExp;
  readonly #isRaw: boolean;
  /** Lines with matches, and how many matches there are up to and with each of them. */
  #lines: number[] = [];
  #counts: number[] = [];
  #next: number;

  /** Capitals in the query are meant; without any, case does not matter. `raw`: control sequences are text, too. */
  constructor(log: LineLog, query: string, { raw = false } = {}) {
    this.#log = log;
    this.#isRaw = raw;
    this.#pattern = patternOf(query);
    this.#next = log.first;
  }

  get total(): number {
    return this.#counts.at(-1) ?? 0;
  }

  /** Whether what `firstFrom` says of a line will not change any more by looking on. */
  isDecidedFrom(line: number): boolean {
    return this.isComplete || (this.#lines.at(-1) ?? -1) >= line;
  }

  /** Every line has been looked at. */
  get isComplete(): boolean {
    return this.#next >= this.#log.end;
  }

  /** Goes on until the log's end or until there is no time left; says whether it found anything new. */
  advance(hasTime: () => boolean): boolean {
    const before = this.total;
    if (this.#log.first > 0) this.#forgetBefore(this.#log.first);
    while (!this.isComplete && hasTime()) {
      const until = Math.min(this.#next + LINES_PER_LOOK, this.#log.end);
      for (; this.#next < until; this.#next += 1) this.#look(this.#next);
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

  /** The number of the first match in this line or behind it; that of the first of all when there is none. */
  firstFrom(line: number): number {
    const place = firstWhere(this.#lines, (found) => found >= line);
    return place >= this.#lines.length ? 0 : (this.#counts[place - 1] ?? 0);
  }

  rangesIn(text: string): Range[] {
    this.#pattern.lastIndex = 0;
    const matches = [...text.matchAll(this.#pattern)];
    return matches.map((match) => ({ from: match.index, to: match.index + match[0].length }));
  }

  #look(index: number): void {
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

/** The first index of a sorted list from which on the claim holds; its length when it never does. */
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

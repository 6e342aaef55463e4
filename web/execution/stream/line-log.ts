import { styleAfter } from './ansi/read-line.ts';
import { PLAIN, type TextStyle } from './ansi/style.ts';

/** A line as it was printed, and the style that the lines before left behind. */
export interface LogLine {
  readonly text: string;
  readonly style: TextStyle;
}

export interface LogLimits {
  readonly lines: number;
  readonly chars: number;
}

/** A browser's tab holds this well; the hub keeps less of an execution (decision 26), but one that runs may print for ever. */
const LIMITS: LogLimits = { lines: 500_000, chars: 64 * 1024 * 1024 };
/** Letting go of a part at once costs less than of one line at a time. */
const KEPT_SHARE = 0.75;

/** The lines that a command printed, in order; the oldest are let go of when there are more than a page can hold. */
export class LineLog {
  readonly #limits: LogLimits;
  #lines: string[] = [];
  #styles: TextStyle[] = [];
  #style: TextStyle = PLAIN;
  #first = 0;
  #chars = 0;

  constructor(limits: LogLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The index of the first line that is still here; 0 unless there were too many. */
  get first(): number {
    return this.#first;
  }

  /** The index behind the last line: how many there were. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  append(text: string): void {
    this.#lines.push(text);
    this.#styles.push(this.#style);
    this.#style = styleAfter(text, this.#style);
    this.#chars += text.length;
    if (this.#lines.length > this.#limits.lines || this.#chars > this.#limits.chars) this.#letGo();
  }

  at(index: number): LogLine | undefined {
    const text = this.#lines[index - this.#first];
    if (text === undefined) return undefined;
    return { text, style: this.#styles[index - this.#first] ?? PLAIN };
  }

  #letGo(): void {
    const lines = this.#limits.lines * KEPT_SHARE;
    const chars = this.#limits.chars * KEPT_SHARE;
    let gone = 0;
    while (this.#lines.length - gone > 1 && (this.#lines.length - gone > lines || this.#chars > chars)) {
      this.#chars -= this.#lines[gone]?.length ?? 0;
      gone += 1;
    }
    this.#lines = this.#lines.slice(gone);
    this.#styles = this.#styles.slice(gone);
    this.#first += gone;
  }
}

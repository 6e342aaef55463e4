import { readCutMarker } from '@svc/core/execution/cut-marker';
import { readLine, styleAfter } from './ansi/read-line.ts';
import { PLAIN, type TextStyle } from './ansi/style.ts';

/** A printed line, and the style at the end of the previous line. */
export interface LogLine {
  readonly text: string;
  readonly style: TextStyle;
  /** Written to standard error, by a command with separate streams. */
  readonly isError: boolean;
  /** The number of its event in the whole stream, from 1; undefined after a cut of unknown length. */
  readonly event: number | undefined;
  /** When the line reached this browser, in epoch milliseconds; undefined if it may have been printed long before. */
  readonly arrivedMs: number | undefined;
}

export interface LineOrigin {
  /** A further line of the same event. */
  readonly continuesEvent?: boolean;
  readonly arrivedMs?: number | undefined;
}

export interface LogLimits {
  readonly lines: number;
  readonly chars: number;
}

/** A tab holds this much comfortably. The hub keeps less (decision 26, limits), but a running execution may print forever. */
const LIMITS: LogLimits = { lines: 500_000, chars: 64 * 1024 * 1024 };
/** Dropping a quarter at once costs less than dropping one line at a time. */
const KEPT_SHARE = 0.75;

/** The printed lines in order; the oldest are dropped beyond the limits. */
export class LineLog {
  readonly #limits: LogLimits;
  #lines: string[] = [];
  #styles: TextStyle[] = [];
  #errors: boolean[] = [];
  /** Numbers of events; 0: unknown. */
  #events: number[] = [];
  /** Milliseconds since `#firstArrivalMs`, so that they are small integers; -1: unknown. */
  #arrivals: number[] = [];
  #firstArrivalMs: number | undefined;
  #event: number | undefined = 0;
  #style: TextStyle = PLAIN;
  #first = 0;
  #chars = 0;
  #cut: { readonly index: number; readonly lines: number } | undefined;

  constructor(limits: LogLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The index of the first kept line. */
  get first(): number {
    return this.#first;
  }

  /** The index after the last line, the count of all lines. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  /** The lines that the command printed, with those that were cut. */
  get printed(): number {
    return this.numberOf(this.end - 1);
  }

  /** The lines that were cut from the middle. */
  get cutLines(): number {
    return this.#cut?.lines ?? 0;
  }

  /** The number of a line, from 1. The marker of a cut has that of the first line it stands for. */
  numberOf(index: number): number {
    return this.#cut !== undefined && index > this.#cut.index ? index + this.#cut.lines : index + 1;
  }

  /** The index of the line with this number; for a line that was cut, that of the marker. */
  indexOf(number: number): number {
    if (this.#cut === undefined || number <= this.#cut.index + 1) return number - 1;
    return Math.max(this.#cut.index, number - this.#cut.lines);
  }

  /** The number of cut lines that the line stands for, 1 if it is unknown; undefined for a line that was printed. */
  cutAt(index: number): number | undefined {
    return this.#cut?.index === index ? this.#cut.lines : undefined;
  }

  append(text: string, isError = false, { continuesEvent = false, arrivedMs }: LineOrigin = {}): void {
    const cut = text.startsWith('[svc: ') ? readCutMarker(text) : undefined;
    if (cut !== undefined) this.#cut = { index: this.end, lines: Math.max(cut.lines, 1) };
    if (cut?.lines === 0) this.#event = undefined;
    if (this.#event !== undefined && !continuesEvent) this.#event += cut?.lines ?? 1;
    this.#events.push(this.#event ?? 0);
    this.#firstArrivalMs ??= arrivedMs;
    this.#arrivals.push(
      arrivedMs === undefined ? -1 : Math.max(arrivedMs - (this.#firstArrivalMs ?? arrivedMs), 0),
    );
    this.#lines.push(text);
    this.#styles.push(this.#style);
    this.#errors.push(isError);
    this.#style = styleAfter(text, this.#style);
    this.#chars += text.length;
    if (this.#lines.length > this.#limits.lines || this.#chars > this.#limits.chars) this.#dropOldest();
  }

  at(index: number): LogLine | undefined {
    const place = index - this.#first;
    const text = this.#lines[place];
    if (text === undefined) return undefined;
    const sinceFirstMs = this.#arrivals[place] ?? -1;
    return {
      text,
      style: this.#styles[place] ?? PLAIN,
      isError: this.#errors[place] ?? false,
      event: this.#events[place] || undefined,
      arrivedMs: sinceFirstMs < 0 ? undefined : (this.#firstArrivalMs ?? 0) + sinceFirstMs,
    };
  }

  /** The kept text without control sequences, for the clipboard: of all lines, or of those between two indexes. */
  plainText(from = this.#first, to = this.end): string {
    const lines = this.#lines.slice(Math.max(from - this.#first, 0), Math.max(to - this.#first, 0));
    return lines.map((text) => `${readLine(text).text}\n`).join('');
  }

  #dropOldest(): void {
    const lines = this.#limits.lines * KEPT_SHARE;
    const chars = this.#limits.chars * KEPT_SHARE;
    let dropped = 0;
    while (
      this.#lines.length - dropped > 1 &&
      (this.#lines.length - dropped > lines || this.#chars > chars)
    ) {
      this.#chars -= this.#lines[dropped]?.length ?? 0;
      dropped += 1;
    }
    this.#lines = this.#lines.slice(dropped);
    this.#styles = this.#styles.slice(dropped);
    this.#errors = this.#errors.slice(dropped);
    this.#events = this.#events.slice(dropped);
    this.#arrivals = this.#arrivals.slice(dropped);
    this.#first += dropped;
  }
}

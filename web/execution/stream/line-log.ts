import { readCutMarker } from '@svc/core/execution/cut-marker';
import type { SkippedOutput } from '@svc/core/execution/skipped-output';
import { readLine, styleAfter } from './ansi/read-line.ts';
import { isSameStyle, PLAIN, type TextStyle } from './ansi/style.ts';

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
  /** A line of raw stdout is never the marker of a cut. */
  readonly isRaw?: boolean;
}

/** A line before those in the log. */
export interface EarlierLine {
  readonly text: string;
  readonly isError: boolean;
  /** A further line of the same event. */
  readonly continuesEvent: boolean;
}

export interface LogLimits {
  readonly lines: number;
  readonly chars: number;
}

/** A tab holds this much comfortably. The hub keeps less (decision 26, limits), but a running execution may print forever. */
const LIMITS: LogLimits = { lines: 500_000, chars: 64 * 1024 * 1024 };
/** Dropping a quarter at once costs less than dropping one line at a time. */
const KEPT_SHARE = 0.75;

/**
 * The printed lines in order; the oldest are dropped beyond the limits. A log can begin with its last lines and get the earlier ones
 * later: indexes and numbers count from the first line in any case.
 */
export class LineLog {
  readonly #limits: LogLimits;
  #lines: string[] = [];
  #styles: TextStyle[] = [];
  #errors: boolean[] = [];
  /** The events up to each line, without those that were cut. */
  #events: number[] = [];
  /** Milliseconds since `#firstArrivalMs`, so that they are small integers; -1: unknown. */
  #arrivals: number[] = [];
  #firstArrivalMs: number | undefined;
  #event = 0;
  #style: TextStyle = PLAIN;
  #first = 0;
  #chars = 0;
  /** The lines before the first one are gone for good. */
  #isShortened = false;
  #cut: { readonly index: number; readonly lines: number; readonly isCounted: boolean } | undefined;

  constructor(limits: LogLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The index of the first line in the log. */
  get first(): number {
    return this.#first;
  }

  /** The index of the first line that the log has or can get. */
  get start(): number {
    return this.#isShortened ? this.#first : 0;
  }

  /** Whether no earlier lines are left to get. */
  get isWhole(): boolean {
    return this.#first === this.start;
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

  /** Begins an empty log after lines that it can get later. */
  skip({ lines, events, cut }: SkippedOutput): void {
    if (this.#lines.length > 0) return;
    this.#first = lines;
    this.#event = events;
    this.#cut = cut && cutAt(cut.afterLines, cut.lines);
  }

  append(text: string, isError = false, origin: LineOrigin = {}): void {
    const { continuesEvent = false, arrivedMs, isRaw = false } = origin;
    const cut = !isRaw && text.startsWith('[svc: ') ? readCutMarker(text) : undefined;
    if (cut !== undefined) this.#cut = cutAt(this.end, cut.lines);
    if (!continuesEvent) this.#event += 1;
    this.#events.push(this.#event);
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

  /**
   * Adds the lines right before the first one. `isAll`: there are no more. The position of a cut is known already. Lines that would
   * be over the limits are not taken, and earlier ones can no longer be added.
   */
  prepend(earlier: readonly EarlierLine[], isAll: boolean): void {
    if (this.isWhole) return;
    const chars = earlier.reduce((sum, { text }) => sum + text.length, 0);
    const lines = earlier.length + this.#lines.length;
    const fits = lines <= this.#limits.lines && chars + this.#chars <= this.#limits.chars;
    if (!fits || earlier.length > this.#first) {
      this.#isShortened = true;
      return;
    }
    let event = (this.#events[0] ?? this.#event + 1) - 1;
    for (const { continuesEvent } of earlier) if (!continuesEvent) event -= 1;
    const events = earlier.map(({ continuesEvent }) => (event += continuesEvent ? 0 : 1));
    this.#events = events.concat(this.#events);
    this.#arrivals = earlier.map(() => -1).concat(this.#arrivals);
    this.#errors = earlier.map(({ isError }) => isError).concat(this.#errors);
    this.#lines = earlier.map(({ text }) => text).concat(this.#lines);
    this.#styles = new Array<TextStyle>(earlier.length).fill(PLAIN).concat(this.#styles);
    this.#restyle(earlier.length);
    this.#first -= earlier.length;
    this.#chars += chars;
    this.#isShortened = isAll && this.#first > 0;
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
      event: this.#eventAt(index),
      arrivedMs: sinceFirstMs < 0 ? undefined : (this.#firstArrivalMs ?? 0) + sinceFirstMs,
    };
  }

  #eventAt(index: number): number | undefined {
    const kept = this.#events[index - this.#first];
    if (kept === undefined || this.#cut === undefined || index < this.#cut.index) return kept;
    return this.#cut.isCounted ? kept + this.#cut.lines - 1 : undefined;
  }

  /** The first lines are new, and the lines after them began in a style that was not known. */
  #restyle(newLines: number): void {
    let style = PLAIN;
    for (const [place, text] of this.#lines.entries()) {
      if (place >= newLines && isSameStyle(this.#styles[place] ?? PLAIN, style)) return;
      this.#styles[place] = style;
      style = styleAfter(text, style);
    }
    this.#style = style;
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
    this.#isShortened = true;
  }
}

function cutAt(index: number, lines: number) {
  return { index, lines: Math.max(lines, 1), isCounted: lines > 0 };
}

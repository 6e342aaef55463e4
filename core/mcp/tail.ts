import { TerminalFilter } from '../text/terminal-filter.ts';

/** The output of a command as an agent gets it: the last bytes, because that is where the errors are. */
export const TAIL_BYTES = 16 * 1024;
/** One line in a progress notification. */
export const PROGRESS_LINE_BYTES = 2 * 1024;

/** The end of an output, and how much stands before it. */
export interface OutputTail {
  readonly text: string;
  /** Lines that are not in `text`, or not whole. */
  readonly earlierLines: number;
  readonly lines: number;
}

/** Collects the end of an output piece by piece. Memory stays within four times `TAIL_BYTES`. */
export class TailOutput {
  #text = '';
  #droppedLines = 0;
  #lines = 0;
  #lastLine = '';
  #open = '';
  #hasDropped = false;

  /** Whole lines so far. */
  get lines(): number {
    return this.#lines + (this.#open === '' ? 0 : 1);
  }

  /** The last line that has text, without instructions to a terminal, cut to `PROGRESS_LINE_BYTES`. */
  get lastLine(): string {
    const open = plainLine(this.#open);
    return firstBytes(open === '' ? plainLine(this.#lastLine) : open, PROGRESS_LINE_BYTES);
  }

  add(piece: string): void {
    const lines = (this.#open + piece).split('\n');
    this.#open = lines.at(-1)?.slice(-TAIL_BYTES) ?? '';
    this.#lines += lines.length - 1;
    const last = lines.slice(0, -1).findLast((line) => line.trim() !== '');
    if (last !== undefined) this.#lastLine = last.slice(0, PROGRESS_LINE_BYTES);
    this.#text += piece;
    if (this.#text.length > 2 * TAIL_BYTES) this.#drop();
  }

  #drop(): void {
    const dropped = this.#text.slice(0, -TAIL_BYTES);
    this.#hasDropped = true;
    this.#droppedLines += countBreaks(dropped);
    this.#text = this.#text.slice(-TAIL_BYTES);
  }

  /** The last `TAIL_BYTES` bytes in UTF-8, from the beginning of a line where there is one. */
  tail(): OutputTail {
    const bytes = new TextEncoder().encode(this.#text.toWellFormed());
    const isCut = this.#hasDropped || bytes.length > TAIL_BYTES;
    const cut = bytes.length <= TAIL_BYTES ? this.#text : lastBytes(bytes, TAIL_BYTES);
    const from = isCut ? cut.indexOf('\n') + 1 : 0;
    const text = from > 0 && from < cut.length ? cut.slice(from) : cut;
    const earlier = this.#text.slice(0, this.#text.length - text.length);
    return {
      text: text.toWellFormed(),
      earlierLines: isCut ? Math.max(1, this.#droppedLines + countBreaks(earlier)) : 0,
      lines: this.lines,
    };
  }
}

const COLOURS = /\u001b\[[\d;]*m/g;

function plainLine(line: string): string {
  return new TerminalFilter().push(line).replaceAll(COLOURS, '').trim();
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** NOTE: A character that the border cuts in two is left out. */
function lastBytes(bytes: Uint8Array, limit: number): string {
  let from = bytes.length - limit;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return new TextDecoder().decode(bytes.subarray(from));
}

function firstBytes(text: string, limit: number): string {
  const bytes = new TextEncoder().encode(text.toWellFormed());
  if (bytes.length <= limit) return text;
  let to = limit;
  while (to > 0 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
  return new TextDecoder().decode(bytes.subarray(0, to));
}

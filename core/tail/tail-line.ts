import { type OutputEvent, readEvent } from '../execution/event.ts';
import { textOf } from '../execution/raw-output.ts';

/** One line of output of any execution of a workspace. */
export interface TailLine {
  readonly executionId: string;
  /** The slug of the endpoint. */
  readonly endpoint: string;
  /** The line came from stderr, and its endpoint separates the two streams. */
  readonly stream?: 'stderr' | undefined;
  /** The text, at most `TAIL_LINE_CHARS`. */
  readonly data: string;
  /** The line is longer. */
  readonly isCut?: true | undefined;
}

/** Lines, and the number of those that were dropped. */
export interface TailBatch {
  readonly lines: readonly TailLine[];
  /** Lines that the tail dropped because there were too many; some may not match its filter. */
  readonly dropped: number;
}

/** The longest text of one line. */
export const TAIL_LINE_CHARS = 2_000;

const BORDER = '\n\n';
const PREFIX = 'data: '.length;

/** The lines of whole `output` events; blank lines too. Throws for bytes that no correct agent sends. */
export function* tailLines(
  sse: Uint8Array,
  of: Pick<TailLine, 'executionId' | 'endpoint'>,
): Generator<TailLine> {
  for (const { text, stream } of outputLines(sse))
    yield { ...of, ...(stream && { stream }), ...shortened(text) };
}

/** The same with the whole text of each line. */
export function* outputLines(
  sse: Uint8Array,
): Generator<{ readonly text: string; readonly stream: 'stderr' | undefined }> {
  for (const event of new TextDecoder().decode(sse).split(BORDER)) {
    if (event === '') continue;
    const output = readEvent(event.slice(PREFIX));
    if (output?.type !== 'output') throw new Error('output events expected');
    for (const text of textLines(output)) yield { text, stream: output.stream };
  }
}

/** Yields line by line: a piece of raw stdout can hold more lines than a reader wants. */
function* textLines(output: OutputEvent): Generator<string> {
  const text = textOf(output);
  if (output.encoding === undefined) return yield text;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  if (start < text.length || text === '') yield text.slice(start);
}

function shortened(text: string): Pick<TailLine, 'data' | 'isCut'> {
  if (text.length <= TAIL_LINE_CHARS) return { data: text };
  // A surrogate pair is not cut in two.
  return { data: text.slice(0, TAIL_LINE_CHARS).toWellFormed(), isCut: true };
}

/** Gathers lines up to a limit, and counts the others. */
export class TailBuffer {
  readonly #maxLines: number;
  readonly #maxChars: number;
  #lines: TailLine[] = [];
  #chars = 0;
  #dropped = 0;

  constructor(limit: { readonly lines: number; readonly chars: number }) {
    this.#maxLines = limit.lines;
    this.#maxChars = limit.chars;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#dropped === 0;
  }

  add(line: TailLine): void {
    if (this.#lines.length >= this.#maxLines || this.#chars + line.data.length > this.#maxChars) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push({ ...line, data: copyOf(line.data) });
    this.#chars += line.data.length;
  }

  drop(count: number): void {
    this.#dropped += count;
  }

  take(): TailBatch {
    const batch = { lines: this.#lines, dropped: this.#dropped };
    this.#lines = [];
    this.#chars = 0;
    this.#dropped = 0;
    return batch;
  }
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** Copies a part of a text: the part alone would keep the whole text in memory. */
function copyOf(part: string): string {
  return DECODER.decode(ENCODER.encode(part));
}

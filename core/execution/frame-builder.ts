import type { EncodedOutput, EndingRun, LineEnding } from './frame.ts';

const SUFFIX = '"}\n\n';

/** The characters that JSON escapes besides the newline and the backslash. Written the other way round it is 15 times slower. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPED = /["\u0000-\u0009\u000b-\u001f]/;

const MAX_BYTES_PER_CODE_POINT = 4;
/** UTF-8 never needs more for one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

/** Collects the events of one frame; `prefix` is what stands before the text of each, up to its opening quote. */
export class FrameBuilder {
  readonly #prefix: string;
  readonly #lineBytes: number;
  readonly #endings: EndingRun[] = [];
  #text = '';
  #lines = 0;

  constructor(prefix: string, lineBytes: number) {
    if (lineBytes < MAX_BYTES_PER_CODE_POINT)
      throw new RangeError(`lineBytes ${lineBytes}: at least 4 expected`);
    this.#prefix = prefix;
    this.#lineBytes = lineBytes;
  }

  /** Whole lines, the last one without its newline. */
  addBlock(block: string): void {
    if (canBeEscapedAtOnce(block) && this.#everyLineSurelyFits(block)) this.#addAtOnce(block);
    else for (const line of block.split('\n')) this.#addTerminatedLine(line);
  }

  /** One line in as many events as its length asks for; only the last of them has the line's own ending. */
  addLine(line: string, ending?: LineEnding): void {
    this.#addEvent(this.#addFullPieces(line), ending);
  }

  /** The start of a line that has no end yet: adds what is certain, returns the rest. A last "\r" may yet be part of "\r\n". */
  addStart(line: string): string {
    const certain = line.endsWith('\r') ? line.slice(0, -1) : line;
    return this.#addFullPieces(certain) + line.slice(certain.length);
  }

  finish(): EncodedOutput | undefined {
    if (this.#lines === 0) return undefined;
    return { sse: encoder.encode(this.#text), lines: this.#lines, endings: this.#endings };
  }

  /** Many lines by a few calls of the engine: none of them becomes a string of its own (bench/encode). */
  #addAtOnce(block: string): void {
    const isPlain = !ESCAPED.test(block);
    const text = isPlain ? block : JSON.stringify(block).slice(1, -1);
    const newline = isPlain ? '\n' : '\\n';
    const between = SUFFIX + this.#prefix;
    // A dollar means something in a replacement; a function in its place would be called for each line.
    const events = text.replaceAll(newline, between.replaceAll('$', '$$$$'));
    this.#text += this.#prefix + events + SUFFIX;
    this.#lines += 1 + (events.length - text.length) / (between.length - newline.length);
  }

  /** Searches for a newline at every so many characters, not at each line. */
  #everyLineSurelyFits(block: string): boolean {
    const max = Math.floor(this.#lineBytes / MAX_BYTES_PER_UNIT);
    for (let start = 0; block.length - start > max; ) {
      const end = block.lastIndexOf('\n', start + max);
      if (end < start) return false;
      start = end + 1;
    }
    return true;
  }

  #addTerminatedLine(line: string): void {
    if (line.endsWith('\r')) this.addLine(line.slice(0, -1), 'crlf');
    else this.addLine(line);
  }

  /** Adds pieces while more than one event's worth is there, never cut inside a code point; returns what is left. */
  #addFullPieces(line: string): string {
    let rest = line;
    while (!this.#surelyFits(rest)) {
      const { read } = encoder.encodeInto(rest.slice(0, this.#lineBytes), new Uint8Array(this.#lineBytes));
      if (read === rest.length) break;
      this.#addEvent(rest.slice(0, read), 'cut');
      rest = rest.slice(read);
    }
    return rest;
  }

  #surelyFits(text: string): boolean {
    return text.length * MAX_BYTES_PER_UNIT <= this.#lineBytes;
  }

  #addEvent(data: string, ending?: LineEnding): void {
    this.#text += this.#prefix + JSON.stringify(data).slice(1, -1) + SUFFIX;
    if (ending !== undefined) this.#addEnding(ending);
    this.#lines += 1;
  }

  #addEnding(ending: LineEnding): void {
    const last = this.#endings.at(-1);
    if (last !== undefined && last[2] === ending && last[0] + last[1] === this.#lines) {
      this.#endings[this.#endings.length - 1] = [last[0], last[1] + 1, ending];
    } else {
      this.#endings.push([this.#lines, 1, ending]);
    }
  }
}

/**
 * Whether the lines of a block can be separated once all of it is escaped, which is far faster than line by line.
 *
 * Beside escaped backslashes the escape of a newline is ambiguous, and a "\r" has to be checked in its place.
 */
function canBeEscapedAtOnce(block: string): boolean {
  return !block.includes('\r') && !block.includes('\\');
}

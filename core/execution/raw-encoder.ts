import type { EncodedOutput } from './frame.ts';

/** The most bytes of stdout in one event: 64 KiB of base64. */
const PIECE_BYTES = 48 * 1024;
/** The bytes that a character of UTF-8 may still lack. */
const MAX_MISSING = 3;

const encoder = new TextEncoder();
const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Turns the stdout of a command, in any chunks, into `output` events with `encoding: base64` (decision 68, raw output).
 *
 * A chunk of text that ends inside a character gives its last bytes with the next one, so that text stays readable event by
 * event. Other bytes are never buffered.
 */
export class RawEncoder {
  readonly #prefix: string;
  #rest: Uint8Array = NOTHING;

  /** @param step of a pipeline run (decision 43, calling a pipeline) */
  constructor(step?: string) {
    const head = JSON.stringify({ type: 'output', step, encoding: 'base64' });
    this.#prefix = `data: ${head.slice(0, -1)},"data":"`;
  }

  /** The events of these bytes; undefined if there are none yet. */
  push(chunk: Uint8Array): EncodedOutput | undefined {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const open = openCharacter(bytes);
    const whole = open > 0 && isText(bytes.subarray(0, -open)) ? bytes.length - open : bytes.length;
    this.#rest = bytes.slice(whole);
    return this.#encode(bytes.subarray(0, whole));
  }

  /** The buffered bytes. No push may follow. */
  end(): EncodedOutput | undefined {
    return this.#encode(this.#rest);
  }

  #encode(bytes: Uint8Array): EncodedOutput | undefined {
    let text = '';
    let lines = 0;
    for (let at = 0; at < bytes.length; lines += 1) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const isLast = at + piece.length === bytes.length;
      const taken = isLast ? piece : piece.subarray(0, piece.length - openCharacter(piece));
      text += `${this.#prefix}${taken.toBase64()}"}\n\n`;
      at += taken.length;
    }
    // No line ends between two pieces of raw output.
    return lines === 0 ? undefined : { sse: encoder.encode(text), lines, endings: [[0, lines, 'cut']] };
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** How many bytes at the end begin a character of UTF-8 that is not complete. */
function openCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= MAX_MISSING && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

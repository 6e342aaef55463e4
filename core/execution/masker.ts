const MASK = new TextEncoder().encode('***');
const NOTHING = new Uint8Array(0);

/** What a value may look like in output besides itself (decision 13): in base64 of both alphabets, in a URL, in JSON. */
export function spellings(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const base64 = bytes.toBase64();
  const unpadded = base64.replace(/=+$/, '');
  const inUrl = encodeURIComponent(value.toWellFormed());
  return [
    value,
    base64,
    unpadded,
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    inUrl,
    inUrl.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
  ];
}

/**
 * Replaces secret values in a stream of bytes by `***`, however the stream is cut into chunks (decision 13).
 *
 * The leftmost occurrence goes first, and the longest of those that begin together. Only bytes that may still become a
 * secret are held back: a line without the beginning of one passes at once.
 */
export class Masker {
  readonly #patterns: readonly Pattern[];
  #rest: Uint8Array = NOTHING;

  constructor(values: readonly string[]) {
    const texts = new Set(values.filter((value) => value !== '').flatMap(spellings));
    const patterns = [...texts].map((text) => new Pattern(new TextEncoder().encode(text)));
    this.#patterns = patterns.sort((a, b) => b.bytes.length - a.bytes.length);
  }

  push(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#patterns.length === 0) return chunk;
    return this.#mask(joined([this.#rest, chunk]), false);
  }

  end(): Uint8Array<ArrayBuffer> {
    return this.#mask(this.#rest, true);
  }

  #mask(bytes: Uint8Array, isLast: boolean): Uint8Array<ArrayBuffer> {
    const safe: Uint8Array[] = [];
    const search = new Search(bytes, this.#patterns);
    let at = 0;
    for (;;) {
      const match = search.next(at);
      const open = isLast ? bytes.length : this.#undecided(bytes, at, match?.at);
      if (match === undefined || open <= match.at) {
        safe.push(bytes.subarray(at, open));
        this.#rest = bytes.slice(open);
        return joined(safe);
      }
      safe.push(bytes.subarray(at, match.at), MASK);
      at = match.at + match.length;
    }
  }

  /** Where the first suffix begins that more bytes could make a secret; the end of the bytes if there is none. */
  #undecided(bytes: Uint8Array, from: number, matchAt = bytes.length): number {
    const longest = this.#patterns[0]?.bytes.length ?? 0;
    if (matchAt <= bytes.length - longest) return bytes.length;
    return Math.min(...this.#patterns.map((pattern) => bytes.length - pattern.begunAtEndOf(bytes, from)));
  }
}

/** Finds the patterns in one chunk; how far each was sought is kept, so that many matches do not make it slow. */
class Search {
  readonly #bytes: Uint8Array;
  readonly #patterns: readonly Pattern[];
  readonly #found: number[];

  constructor(bytes: Uint8Array, patterns: readonly Pattern[]) {
    this.#bytes = bytes;
    this.#patterns = patterns;
    this.#found = patterns.map((pattern) => indexOf(bytes, pattern.bytes, 0));
  }

  next(from: number): { at: number; length: number } | undefined {
    let first: { at: number; length: number } | undefined;
    for (const [index, { bytes: pattern }] of this.#patterns.entries()) {
      let at = this.#found[index] ?? -1;
      if (at !== -1 && at < from) at = this.#found[index] = indexOf(this.#bytes, pattern, from);
      // Patterns come longest first, so of those that begin together the longest is kept.
      if (at !== -1 && (first === undefined || at < first.at)) first = { at, length: pattern.length };
    }
    return first;
  }
}

/** One spelling of a secret, with the failure function of Knuth, Morris and Pratt. */
class Pattern {
  readonly bytes: Uint8Array;
  readonly #borders: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#borders = new Uint32Array(bytes.length);
    for (let at = 1, length = 0; at < bytes.length; at += 1) {
      length = this.#extend(length, bytes[at]);
      this.#borders[at] = length;
    }
  }

  /** How many bytes at the end of `text`, behind `from`, are a beginning of the pattern but not all of it. */
  begunAtEndOf(text: Uint8Array, from: number): number {
    let length = 0;
    for (let at = Math.max(from, text.length - this.bytes.length + 1); at < text.length; at += 1) {
      length = this.#extend(length, text[at]);
    }
    return length;
  }

  #extend(length: number, byte: number | undefined): number {
    let matched = length;
    while (matched > 0 && this.bytes[matched] !== byte) matched = this.#borders[matched - 1] ?? 0;
    return this.bytes[matched] === byte ? matched + 1 : 0;
  }
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const [first = 0] = pattern;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + pattern.length > bytes.length) return -1;
    if (pattern.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

import { TOKEN_CHARACTERS, TOKEN_DIGITS, TOKEN_PREFIXES } from '../../token/token.ts';
import type { Cover } from './cover.ts';

/** With this many characters of a token, the rest can be found by trying; with fewer it cannot. */
const CHARACTERS_AT_LEAST = 32;
const PREFIXES = Object.values(TOKEN_PREFIXES).map((prefix) => new TextEncoder().encode(prefix));
const WINDOW = Math.min(...PREFIXES.map(({ length }) => length));
const LONGEST = Math.max(...PREFIXES.map(({ length }) => length));
/** The common beginning of all prefixes. */
const HEAD = new TextEncoder().encode('svc_');
const UNDERSCORE = 0x5f;
/** One call of the engine's search costs as much as a few dozen strides. */
const QUICK_LOOKS = 16;
const SHIFTS = shifts();
const IS_DIGIT = digits();

/**
 * Finds the tokens of `svc` of any kind and workspace in a stream of bytes: a prefix such as `svc_at_` and the characters
 * behind it. Output without a token is passed in strides of a prefix's length (Horspool, 1980).
 */
export class TokenFinder {
  /** Adds the ranges found from `from`. Returns the position of the first beginning that more bytes could complete. */
  read(bytes: Uint8Array, from: number, isLast: boolean, cover: Cover): number {
    let at = from;
    for (;;) {
      const start = prefixFrom(bytes, at);
      if (start === undefined) return isLast ? bytes.length : openPrefix(bytes, at);
      const body = start + (prefixAt(bytes, start)?.length ?? 0);
      const end = endOfBody(bytes, body);
      const isOpen = end === bytes.length && end - body < TOKEN_CHARACTERS;
      if (isOpen && !isLast) return start;
      if (end - body >= CHARACTERS_AT_LEAST) cover.add(start, end);
      // The search does not continue from the end of this body, because a second prefix may begin with its last characters.
      at = body;
    }
  }
}

/** In text with few `_`, the engine's own search for the `_` of `svc_` is the fastest; in other text, strides are. */
function prefixFrom(bytes: Uint8Array, from: number): number | undefined {
  let at = from + HEAD.length - 1;
  for (let looks = 0; looks < QUICK_LOOKS; looks += 1) {
    at = bytes.indexOf(UNDERSCORE, at);
    if (at === -1) return undefined;
    const start = at - HEAD.length + 1;
    if (hasAt(bytes, start, HEAD) && prefixAt(bytes, start) !== undefined) return start;
    at += 1;
  }
  return prefixByStrides(bytes, at - HEAD.length + 1);
}

function prefixByStrides(bytes: Uint8Array, from: number): number | undefined {
  for (let end = from + WINDOW - 1; end < bytes.length; ) {
    const start = end - WINDOW + 1;
    if (hasAt(bytes, start, HEAD) && prefixAt(bytes, start) !== undefined) return start;
    end += SHIFTS[bytes[end] ?? 0] ?? 1;
  }
  return undefined;
}

function prefixAt(bytes: Uint8Array, start: number): Uint8Array | undefined {
  for (const prefix of PREFIXES) if (hasAt(bytes, start, prefix)) return prefix;
  return undefined;
}

function hasAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[start + index] !== text[index]) return false;
  return true;
}

/** The position where the bytes end with a beginning of a prefix; the end of the bytes if they do not. */
function openPrefix(bytes: Uint8Array, from: number): number {
  for (let start = Math.max(from, bytes.length - LONGEST + 1); start < bytes.length; start += 1)
    if (bytes[start] === HEAD[0] && PREFIXES.some((prefix) => endsInside(bytes, start, prefix))) return start;
  return bytes.length;
}

/** Whether the bytes from `start` to the end are a beginning of the prefix. */
function endsInside(bytes: Uint8Array, start: number, prefix: Uint8Array): boolean {
  for (let at = start; at < bytes.length; at += 1) if (bytes[at] !== prefix[at - start]) return false;
  return true;
}

function endOfBody(bytes: Uint8Array, from: number): number {
  const max = Math.min(bytes.length, from + TOKEN_CHARACTERS);
  let at = from;
  while (at < max && IS_DIGIT[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/** How far the window moves for each last byte without missing a prefix. */
function shifts(): Uint8Array {
  const table = new Uint8Array(256).fill(WINDOW);
  for (const prefix of PREFIXES)
    for (const [index, byte] of prefix.subarray(0, WINDOW - 1).entries())
      table[byte] = Math.min(table[byte] ?? WINDOW, WINDOW - 1 - index);
  return table;
}

function digits(): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of new TextEncoder().encode(TOKEN_DIGITS)) table[byte] = 1;
  return table;
}

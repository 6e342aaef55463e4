import { Cover } from './cover.ts';
import { SecretFinder, Spellings } from './secret-finder.ts';
import { spellings } from './spellings.ts';
import { TokenFinder } from './token-finder.ts';

const MASK = new TextEncoder().encode('***');
const NOTHING = new Uint8Array(0);

/**
 * Replaces secret values and the tokens of `svc` in a stream of bytes with `***`, across the borders of chunks (decision
 * 13, managed secrets, and decision 59, the agent's token stays with the agent).
 *
 * Overlapping occurrences become one `***`. Only bytes that may become part of a secret are kept back, so a line without
 * the beginning of a secret passes at once.
 */
export class Masker {
  readonly #secrets: SecretFinder | undefined;
  readonly #tokens = new TokenFinder();
  readonly #cover = new Cover();
  #rest: Uint8Array<ArrayBuffer> = NOTHING;
  /** The position in the rest where the search for tokens continues. */
  #tokensFrom = 0;
  /** The bytes of the rest before this position belong to a `***` that was already written. */
  #maskedTo = 0;

  constructor(values: readonly string[]) {
    this.#secrets = values.length === 0 ? undefined : secretFinder(values);
  }

  push(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const bytes = this.#rest.length === 0 ? chunk : joined([this.#rest, chunk]);
    return this.#mask(bytes, this.#rest.length, false);
  }

  end(): Uint8Array<ArrayBuffer> {
    return this.#mask(this.#rest, this.#rest.length, true);
  }

  #mask(bytes: Uint8Array<ArrayBuffer>, newFrom: number, isLast: boolean): Uint8Array<ArrayBuffer> {
    const openSecret = this.#secrets?.read(bytes, newFrom, this.#cover) ?? bytes.length;
    const openToken = this.#tokens.read(bytes, this.#tokensFrom, isLast, this.#cover);
    const open = isLast ? bytes.length : Math.min(openSecret, openToken);
    this.#tokensFrom = openToken - open;
    if (open === bytes.length && this.#cover.isEmpty && this.#maskedTo === 0) {
      this.#rest = NOTHING;
      return bytes;
    }
    const safe = this.#giveOut(bytes, open);
    this.#rest = bytes.slice(open);
    return safe;
  }

  #giveOut(bytes: Uint8Array, open: number): Uint8Array<ArrayBuffer> {
    const safe: Uint8Array[] = [];
    let at = this.#maskedTo;
    for (const { start, end } of this.#cover.takeBefore(open)) {
      if (start >= at) safe.push(bytes.subarray(at, start), MASK);
      at = Math.max(at, end);
    }
    if (at < open) safe.push(bytes.subarray(at, open));
    this.#maskedTo = Math.max(0, at - open);
    return joined(safe);
  }
}

function secretFinder(values: readonly string[]): SecretFinder | undefined {
  const texts = new Set(values.filter((value) => value !== '').flatMap(spellings));
  return texts.size === 0 ? undefined : new SecretFinder(new Spellings([...texts]));
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

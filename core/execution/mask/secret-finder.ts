import type { Cover } from './cover.ts';

/**
 * All spellings of all secrets in one automaton (Aho and Corasick, 1975). Output is read once, whatever the number of
 * secrets and their common beginnings.
 *
 * A state is a node of the tree of spellings; 0 is the root. Nodes are rows of typed arrays, because a secret may have 64
 * KiB.
 */
export class Spellings {
  readonly #child: Int32Array;
  readonly #sibling: Int32Array;
  readonly #byte: Uint8Array;
  /** The state of the longest proper suffix. */
  readonly #shorter: Int32Array;
  /** The length of the longest spelling that ends here, or 0. */
  readonly ending: Int32Array;
  /** The number of bytes at the end that are the beginning of a spelling. */
  readonly open: Int32Array;
  readonly #root = new Int32Array(256);
  /** Whether two bytes may begin a spelling. This check alone passes most output. */
  readonly pairs = new Uint8Array(256 * 256);
  #nodes = 1;

  constructor(texts: readonly string[]) {
    const spellings = texts.map((text) => new TextEncoder().encode(text));
    const size = spellings.reduce((sum, { length }) => sum + length, 1);
    this.#child = new Int32Array(size);
    this.#sibling = new Int32Array(size);
    this.#byte = new Uint8Array(size);
    this.#shorter = new Int32Array(size);
    this.ending = new Int32Array(size);
    this.open = new Int32Array(size);
    for (const spelling of spellings) this.#insert(spelling);
    this.#linkShorter();
  }

  /** The state after one more byte. */
  next(from: number, byte: number): number {
    for (let state = from; state !== 0; state = this.#shorter[state] ?? 0) {
      const child = this.#childOf(state, byte);
      if (child !== 0) return child;
    }
    return this.#root[byte] ?? 0;
  }

  #childOf(state: number, byte: number): number {
    let child = this.#child[state] ?? 0;
    while (child !== 0 && this.#byte[child] !== byte) child = this.#sibling[child] ?? 0;
    return child;
  }

  #insert(spelling: Uint8Array): void {
    const [first = 0, second] = spelling;
    if (second === undefined) this.pairs.fill(1, first << 8, (first + 1) << 8);
    else this.pairs[(first << 8) | second] = 1;
    let state = 0;
    for (const byte of spelling) {
      const known = state === 0 ? (this.#root[byte] ?? 0) : this.#childOf(state, byte);
      state = known === 0 ? this.#grow(state, byte) : known;
    }
    this.ending[state] = spelling.length;
  }

  #grow(parent: number, byte: number): number {
    const node = this.#nodes++;
    this.#byte[node] = byte;
    this.open[node] = (this.open[parent] ?? 0) + 1;
    if (parent === 0) this.#root[byte] = node;
    this.#sibling[node] = this.#child[parent] ?? 0;
    this.#child[parent] = node;
    return node;
  }

  /** Nodes are visited level by level, because the fallback of a node is nearer to the root and must be ready. */
  #linkShorter(): void {
    const queue = new Int32Array(this.#nodes);
    let queued = 1;
    for (let at = 0; at < queued; at += 1) {
      const parent = queue[at] ?? 0;
      for (let node = this.#child[parent] ?? 0; node !== 0; node = this.#sibling[node] ?? 0) {
        queue[queued++] = node;
        const shorter = parent === 0 ? 0 : this.next(this.#shorter[parent] ?? 0, this.#byte[node] ?? 0);
        this.#shorter[node] = shorter;
        if (this.ending[node] === 0) this.ending[node] = this.ending[shorter] ?? 0;
        if (this.#child[node] === 0) this.open[node] = this.open[shorter] ?? 0;
      }
    }
  }
}

/** Finds secrets in a stream of bytes. Each byte is read once, whatever the borders of chunks. */
export class SecretFinder {
  readonly #spellings: Spellings;
  #state = 0;

  constructor(spellings: Spellings) {
    this.#spellings = spellings;
  }

  /**
   * Searches `bytes` from `from` and adds the found ranges. Returns the position of the first beginning that more bytes
   * could complete.
   */
  read(bytes: Uint8Array, from: number, cover: Cover): number {
    const { pairs, ending, open } = this.#spellings;
    const last = bytes.length - 1;
    let state = this.#state;
    for (let at = from; at <= last; at += 1) {
      if (state === 0) {
        while (at < last && pairs[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) at += 1;
      }
      state = this.#spellings.next(state, bytes[at] ?? 0);
      const length = ending[state] ?? 0;
      if (length > 0) cover.add(at + 1 - length, at + 1);
    }
    this.#state = state;
    return bytes.length - (open[state] ?? 0);
  }
}

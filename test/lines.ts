/** The output of a process, line by line, to be waited for. */
export class Lines {
  readonly #seen: string[] = [];
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    void this.#read(stream);
  }

  /** All that was printed so far. */
  get text(): string {
    return this.#seen.join('\n');
  }

  /** How many lines were printed so far. */
  get count(): number {
    return this.#seen.length;
  }

  /**
   * The first line that matches, whether it was printed already or comes later.
   *
   * @param from this many lines are skipped: the `count` of a moment, for lines that are printed from then on
   */
  async find(pattern: RegExp, from = 0): Promise<string> {
    for (;;) {
      const found = this.#seen.find((line, index) => index >= from && pattern.test(line));
      if (found !== undefined) return found;
      if (this.#isOver) throw new Error(`no line matches ${pattern}:\n${this.text}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      this.#seen.push(...parts);
      this.#wake();
    }
    if (rest !== '') this.#seen.push(rest);
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

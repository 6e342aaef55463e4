interface LastLinesPorts {
  /** The last line that an execution has printed so far; undefined: it has no output. Rejects when it cannot be read. */
  readonly read: (executionId: string) => Promise<string | undefined>;
  /** Resolves when the next reads may begin. `hasFailed`: one of the last could not be done. */
  readonly pause: (hasFailed: boolean, signal: AbortSignal) => Promise<void>;
  /** Resolves when a person can see the tab; at once if they do. */
  readonly untilVisible: () => Promise<void>;
}

type OnLine = (line: string | undefined) => void;

/**
 * Reads the last lines of the followed executions again and again, one short request after the other, and none while the tab is hidden.
 *
 * NOTE: Over HTTP/1.1 a browser has six connections to a host for all of its tabs. A stream for each line would keep one of them.
 */
export class LastLines {
  readonly #ports: LastLinesPorts;
  readonly #followers = new Map<string, Set<OnLine>>();
  #isReading = false;
  #pause = new AbortController();

  constructor(ports: LastLinesPorts) {
    this.#ports = ports;
  }

  /** Calls `onLine` with each line that is read. Returns the function that ends this. */
  follow(executionId: string, onLine: OnLine): () => void {
    const followers = this.#followers.get(executionId) ?? new Set();
    this.#followers.set(executionId, followers.add(onLine));
    // A new row does not wait for the end of the pause.
    this.#pause.abort();
    if (!this.#isReading) void this.#readAll();
    return () => {
      followers.delete(onLine);
      if (followers.size === 0 && this.#followers.get(executionId) === followers)
        this.#followers.delete(executionId);
    };
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#followers.size > 0) {
      this.#pause = new AbortController();
      let hasFailed = false;
      for (const executionId of [...this.#followers.keys()]) {
        await this.#ports.untilVisible();
        if (!(await this.#readOne(executionId))) hasFailed = true;
      }
      await this.#ports.pause(hasFailed, this.#pause.signal);
    }
    this.#isReading = false;
  }

  /** Returns whether the line could be read. */
  async #readOne(executionId: string): Promise<boolean> {
    if (!this.#followers.has(executionId)) return true;
    try {
      const line = await this.#ports.read(executionId);
      for (const onLine of this.#followers.get(executionId) ?? []) onLine(line);
      return true;
    } catch {
      // The connection bar reports a broken connection.
      return false;
    }
  }
}

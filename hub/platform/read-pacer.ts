/** While calls come in, reads take at most this share of the time. */
const SHARE = 0.1;
/** The time that reads may take while calls arrive; the lists of one dashboard page take less. */
const BURST_MS = 100;
/** The limit of the debt: a read that waits for a disk delays the next one for a second, not for minutes. */
const DEBT_MS = 100;
/** The number of concurrent reads while calls arrive. A single one would be delayed by a read that waits for a disk. */
const CONCURRENCY = 2;
/** The cost of a read, before and after it. */
const AROUND_MS = 1;
/** The number of writes per millisecond from which a hub counts as busy with calls; each call has three writes. */
const BUSY_WRITES_PER_MS = 0.1;
const SAMPLE_MS = 50;

export interface ReadPacerParts {
  /** Writes since the start. */
  readonly writes: () => number;
  readonly nowMs?: () => number;
  readonly after?: (ms: number, run: () => void) => void;
}

/**
 * Keeps reads from slowing down calls. Lists and statistics share the processor and the main thread with calls, and a
 * client that reads in a loop would take as much time as a client that calls. While calls come in, all reads together get a
 * tenth of the time, one workspace after another. Without calls no read waits (decision 62, reads apart from calls).
 */
export class ReadPacer {
  readonly #writes: () => number;
  readonly #nowMs: () => number;
  readonly #after: (ms: number, run: () => void) => void;
  /** The waiting reads by workspace, the next one first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #leftMs = BURST_MS;
  #filledAtMs: number;
  #isBusy = false;
  #checkedAtMs: number;
  #writesThen: number;
  #underWay = 0;
  #isTimerSet = false;

  constructor({
    writes,
    nowMs = () => performance.now(),
    after = (ms, run) => void setTimeout(run, ms),
  }: ReadPacerParts) {
    this.#writes = writes;
    this.#nowMs = nowMs;
    this.#after = after;
    this.#filledAtMs = nowMs();
    this.#checkedAtMs = this.#filledAtMs;
    this.#writesThen = writes();
  }

  /** Runs the work when it is the workspace's turn. */
  async run<Result>(workspaceId: string, work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#waiting.size > 0 || !this.#mayBegin()) await this.#turnOf(workspaceId);
    else this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#fill();
      this.#underWay -= 1;
      this.#leftMs -= AROUND_MS;
      this.#admit();
    }
  }

  #turnOf(workspaceId: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#waiting.get(workspaceId);
      if (others === undefined) this.#waiting.set(workspaceId, [resolve]);
      else others.push(resolve);
      this.#admit();
    });
  }

  /** Starts waiting reads while there is time left, or sets a timer for the moment when there is. */
  #admit(): void {
    for (const [workspaceId, [next, ...others]] of this.#waiting) {
      if (!this.#mayBegin()) break;
      // Behind all other workspaces.
      this.#waiting.delete(workspaceId);
      if (others.length > 0) this.#waiting.set(workspaceId, others);
      this.#underWay += 1;
      next?.();
    }
    if (this.#waiting.size === 0 || this.#isTimerSet) return;
    this.#isTimerSet = true;
    this.#after(Math.min(SAMPLE_MS, Math.max(1, -this.#leftMs / SHARE)), () => {
      this.#isTimerSet = false;
      this.#admit();
    });
  }

  #mayBegin(): boolean {
    this.#fill();
    return !this.#isBusy || (this.#leftMs > 0 && this.#underWay < CONCURRENCY);
  }

  #fill(): void {
    const nowMs = this.#nowMs();
    this.#sample(nowMs);
    const passedMs = nowMs - this.#filledAtMs;
    const given = this.#isBusy ? passedMs * SHARE : BURST_MS;
    const taken = this.#underWay > 0 ? passedMs : 0;
    this.#leftMs = Math.max(-DEBT_MS, Math.min(BURST_MS, this.#leftMs + given - taken));
    this.#filledAtMs = nowMs;
  }

  #sample(nowMs: number): void {
    const passedMs = nowMs - this.#checkedAtMs;
    if (passedMs < SAMPLE_MS) return;
    const writes = this.#writes();
    this.#isBusy = (writes - this.#writesThen) / passedMs >= BUSY_WRITES_PER_MS;
    this.#checkedAtMs = nowMs;
    this.#writesThen = writes;
  }
}

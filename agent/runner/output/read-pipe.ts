import { abandonReader, type ByteReader } from './byte-reader.ts';

/** More bytes of the command itself than a pipe and Bun's read-ahead can hold. */
const MAX_OWN_BYTES = 1024 * 1024;
/** Written bytes are available at once; a longer wait is for a later writer. */
const BARELY_A_WAIT_MS = 20;

/**
 * Reads a pipe to its end, but only for about `drainMs` more after `over` has settled (decision 18, time-out and cancel).
 *
 * A grandchild may keep the pipe open forever, so the time of waiting for bytes after the end of the command is limited.
 * The time of `take` does not count: a slow sink loses nothing that the command wrote.
 */
export async function readPipe(
  reader: ByteReader,
  over: Promise<unknown>,
  drainMs: number,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | undefined,
): Promise<void> {
  const drainLimit = new WaitLimit(reader, drainMs);
  const begin = () => drainLimit.begin();
  over.then(begin, begin);
  try {
    for (;;) {
      drainLimit.waits();
      const { done, value } = await reader.read();
      drainLimit.waited();
      if (done) return;
      const taken = take(value);
      if (taken !== undefined) await taken;
      drainLimit.spend(value.length);
    }
  } finally {
    abandonReader(reader);
  }
}

/** Abandons a reader whose pipe stays open too long after the end of the command. */
class WaitLimit {
  readonly #reader: ByteReader;
  readonly #drainMs: number;
  #overAtMs: number | undefined;
  #leftMs: number;
  #bytesLeft = MAX_OWN_BYTES;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;
  #timerSetAtMs = 0;

  constructor(reader: ByteReader, drainMs: number) {
    this.#reader = reader;
    this.#drainMs = drainMs;
    this.#leftMs = drainMs;
  }

  /** Starts the limit on waiting, because the command is over. */
  begin(): void {
    this.#overAtMs = performance.now();
    if (this.#waiting) this.#limitWait();
  }

  waits(): void {
    this.#waiting = true;
    if (this.#overAtMs !== undefined) this.#limitWait();
  }

  waited(): void {
    this.#waiting = false;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#timerSetAtMs;
  }

  /** After the deadline, bytes that need no wait may still come from the command, up to the capacity of the pipe. */
  spend(bytes: number): void {
    if (this.#overAtMs === undefined || performance.now() - this.#overAtMs < this.#drainMs) return;
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft <= 0) abandonReader(this.#reader);
  }

  #limitWait(): void {
    this.#timerSetAtMs = performance.now();
    this.#timer = setTimeout(abandonReader, Math.max(this.#leftMs, BARELY_A_WAIT_MS), this.#reader);
  }
}

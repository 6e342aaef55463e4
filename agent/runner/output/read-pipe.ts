import { abandonReader, type ByteReader } from './byte-reader.ts';

/** More than a pipe and Bun's reading ahead can hold of what the command itself wrote. */
const OWN_BYTES_AT_MOST = 1024 * 1024;
/** What has been written is there at once; a wait longer than this is for somebody who has yet to write. */
const BARELY_A_WAIT_MS = 20;

/**
 * Reads a pipe to its end; once `over` has settled, only for about `drainMs` more (decision 18).
 *
 * A grandchild may hold the pipe open for ever, so after the end of the command the time spent waiting for bytes is bounded.
 * The time that `take` needs does not count: a slow sink loses nothing that the command wrote.
 */
export async function readPipe(
  reader: ByteReader,
  over: Promise<unknown>,
  drainMs: number,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | undefined,
): Promise<void> {
  const patience = new WaitLimit(reader, drainMs);
  const begin = () => patience.begin();
  over.then(begin, begin);
  try {
    for (;;) {
      patience.waits();
      const { done, value } = await reader.read();
      patience.waited();
      if (done) return;
      const taken = take(value);
      if (taken !== undefined) await taken;
      patience.spend(value.length);
    }
  } finally {
    abandonReader(reader);
  }
}

/** Gives up a reader whose pipe stays open too long after the end of the command. */
class WaitLimit {
  readonly #reader: ByteReader;
  readonly #drainMs: number;
  #overAtMs: number | undefined;
  #leftMs: number;
  #bytesLeft = OWN_BYTES_AT_MOST;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;
  #timerSetAtMs = 0;

  constructor(reader: ByteReader, drainMs: number) {
    this.#reader = reader;
    this.#drainMs = drainMs;
    this.#leftMs = drainMs;
  }

  /** The command is over: waiting is limited from now on. */
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

  /** Past the bound, bytes that come without a wait may still be the command's own, up to what could be under way. */
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

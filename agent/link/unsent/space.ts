import { LINK_LIMITS } from '@svc/core/protocol/limits';

/**
 * The storage limits for the unacknowledged output of all executions: 8 MiB in memory, then disk (decision 29, numbered
 * output, and calls between hubs).
 */
export class Space {
  readonly #memoryBytes: number;
  readonly #diskBytes: number;
  readonly #onDiskFailure: (cause: unknown) => void;
  readonly #onDamage: (cause: unknown) => void;
  #isDiskFailing = false;
  #inMemory = 0;
  #onDisk = 0;

  constructor({
    memoryBytes = LINK_LIMITS.unsentMemoryBytes,
    diskBytes = LINK_LIMITS.unsentDiskBytes,
    onDiskFailure = () => {},
    onDamage = () => {},
  }: {
    readonly memoryBytes?: number;
    readonly diskBytes?: number;
    /** Called once when the disk becomes full. */
    readonly onDiskFailure?: (cause: unknown) => void;
    /** Called for each execution with damaged output on disk. */
    readonly onDamage?: (cause: unknown) => void;
  } = {}) {
    this.#memoryBytes = memoryBytes;
    this.#diskBytes = diskBytes;
    this.#onDiskFailure = onDiskFailure;
    this.#onDamage = onDamage;
  }

  /** Whether output of this length would exceed the memory limit. */
  overflows(bytes: number): boolean {
    return this.#inMemory + bytes > this.#memoryBytes;
  }

  /** Neither memory nor disk has room, so commands wait. Memory exceeds its limit only if the disk could not be written. */
  get isFull(): boolean {
    return this.#onDisk >= this.#diskBytes || this.#inMemory > this.#memoryBytes;
  }

  takeMemory(bytes: number): void {
    this.#inMemory += bytes;
  }

  takeDisk(bytes: number): void {
    this.#onDisk += bytes;
    if (bytes > 0) this.#isDiskFailing = false;
  }

  /** Reports damaged output on disk. */
  damaged(cause: unknown): void {
    this.#onDamage(cause);
  }

  /** Reports a failed write to disk; the output stays in memory. */
  diskFailed(cause: unknown): void {
    if (!this.#isDiskFailing) this.#onDiskFailure(cause);
    this.#isDiskFailing = true;
  }
}

import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** The room that the unacknowledged output of all executions shares: 8 MiB in memory, then disk (decision 29). */
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
    /** Called once when the disk begins to take no more. */
    readonly onDiskFailure?: (cause: unknown) => void;
    /** Called for each execution whose output on the disk is damaged. */
    readonly onDamage?: (cause: unknown) => void;
  } = {}) {
    this.#memoryBytes = memoryBytes;
    this.#diskBytes = diskBytes;
    this.#onDiskFailure = onDiskFailure;
    this.#onDamage = onDamage;
  }

  /** Whether output of this length would be too much for memory. */
  overflows(bytes: number): boolean {
    return this.#inMemory + bytes > this.#memoryBytes;
  }

  /** Neither memory nor disk has room: commands wait. Memory is only above its bound when the disk could not be written. */
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

  /** Output on the disk is not what was written there. */
  damaged(cause: unknown): void {
    this.#onDamage(cause);
  }

  /** Output could not be written to the disk, so it stays in memory. */
  diskFailed(cause: unknown): void {
    if (!this.#isDiskFailing) this.#onDiskFailure(cause);
    this.#isDiskFailing = true;
  }
}

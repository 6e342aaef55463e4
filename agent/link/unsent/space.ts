import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** The room that the unacknowledged output of all executions shares: 8 MiB in memory, then disk (decision 29). */
export class Space {
  readonly #memoryBytes: number;
  readonly #diskBytes: number;
  #inMemory = 0;
  #onDisk = 0;

  constructor({
    memoryBytes = LINK_LIMITS.unsentMemoryBytes,
    diskBytes = LINK_LIMITS.unsentDiskBytes,
  }: {
    readonly memoryBytes?: number;
    readonly diskBytes?: number;
  } = {}) {
    this.#memoryBytes = memoryBytes;
    this.#diskBytes = diskBytes;
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
  }
}

/** The most output of one command between its pipe and its sink. */
export const WINDOW_BYTES = 1024 * 1024;

const MESSAGE_OVERHEAD_BYTES = 512;

/** The minimum cost of a message: even a short one occupies memory while it waits. */
export function costOf(bytes: Uint8Array): number {
  return bytes.length + MESSAGE_OVERHEAD_BYTES;
}

/**
 * Limits the output between a command and its sink. When the window is full, the pipe is not read, and once the pipe is
 * full, the command waits: memory stays flat however slow the sink is.
 */
export class Window {
  #room: number;
  #opened: PromiseWithResolvers<void> | undefined;

  constructor(bytes: number) {
    this.#room = bytes;
  }

  take(bytes: number): void {
    this.#room -= bytes;
  }

  release(bytes: number): void {
    this.#room += bytes;
    if (this.#room <= 0) return;
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Undefined if there is room, so that the fast path needs no turn of the event loop. */
  open(): Promise<void> | undefined {
    if (this.#room > 0) return undefined;
    this.#opened ??= Promise.withResolvers<void>();
    return this.#opened.promise;
  }
}

/** Output of one command that may be on its way from where it is read to its sink. */
export const WINDOW_BYTES = 1024 * 1024;

const MESSAGE_OVERHEAD_BYTES = 512;

/** What a message takes of the window: also a short one occupies memory while it waits. */
export function costOf(bytes: Uint8Array): number {
  return bytes.length + MESSAGE_OVERHEAD_BYTES;
}

/**
 * How much of a command's output may be on its way to the sink. When it is used up the pipe is left alone, and so, once
 * the pipe is full, the command waits: memory stays flat however slow the sink is.
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

  giveBack(bytes: number): void {
    this.#room += bytes;
    if (this.#room <= 0) return;
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Undefined when there is room, so that the fast path needs no turn of the loop. */
  open(): Promise<void> | undefined {
    if (this.#room > 0) return undefined;
    this.#opened ??= Promise.withResolvers<void>();
    return this.#opened.promise;
  }
}

import { releaseMemory } from '@svc/core/execution/release-memory';

/** What is on its way to a hub that has not said that it has gone on from there: messages in order, and the output in them. */
export class FeedWindow {
  readonly #mostBytes: number;
  readonly #messages: { readonly message: Uint8Array; readonly bytes: number }[] = [];
  #bytes = 0;
  /** Of the oldest message. */
  #goneBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What is longer than the window itself goes alone. */
  hasRoom(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#mostBytes;
  }

  add(message: Uint8Array, bytes: number): void {
    this.#messages.push({ message, bytes });
    this.#bytes += bytes;
  }

  /** So much more output has gone on: nobody needs the messages any more that had it. */
  goneOn(bytes: number): void {
    this.#goneBytes += Math.min(bytes, this.#bytes);
    this.#bytes = Math.max(0, this.#bytes - bytes);
    for (let [oldest] = this.#messages; oldest !== undefined; [oldest] = this.#messages) {
      if (oldest.bytes > this.#goneBytes) return;
      this.#goneBytes -= oldest.bytes;
      releaseMemory(oldest.message);
      this.#messages.shift();
    }
  }
}

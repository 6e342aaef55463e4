import { releaseMemory } from '@svc/core/execution/release-memory';

/** What is on its way to a hub that has not said that it has gone on from there: messages in order, and the output in them. */
export class FeedWindow {
  readonly #mostBytes: number;
  #messages: { readonly message: Uint8Array; readonly bytes: number }[] = [];
  #bytes = 0;

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

  /** So much output has gone on, in whole messages: nobody needs these any more. */
  goneOn(bytes: number): void {
    let left = bytes;
    const stays = this.#messages.findIndex((one) => {
      left -= one.bytes;
      return left < 0;
    });
    const gone = this.#messages.splice(0, stays === -1 ? this.#messages.length : stays);
    for (const { message, bytes: had } of gone) {
      this.#bytes -= had;
      releaseMemory(message);
    }
  }
}

import { KEEP_ALIVE } from '@svc/core/execution/sse';
import { LIMITS } from '@svc/core/plan/limits';
import type { OutputSink } from '../../runner/runner.ts';

/**
 * The body of one event stream. Output that arrives before Bun requests the body waits at its source.
 *
 * It is a direct stream, because its `write` passes bytes to the socket and returns a promise if the socket is full. That
 * promise is the back-pressure that reaches the command's pipe: memory stays flat however slow the caller reads.
 *
 * NOTE: Bun delays the end of the head until the first bytes of the body, so a comment sends it to the caller of a silent
 * command.
 */
export class EventWriter implements OutputSink {
  readonly #silenceMs: number;
  readonly #opened = Promise.withResolvers<void>();
  #controller: ReadableStreamDirectController | undefined;
  #isBlocked = false;
  #hasWritten = false;
  #hasLeft = false;
  #silence: NodeJS.Timeout | undefined;

  /** @param silenceMs after this time without output a comment keeps the connection open (decision 15, the event stream) */
  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  open(controller: ReadableStreamDirectController): void {
    this.#controller = controller;
    if (!this.#hasLeft) this.#silence = setTimeout(() => this.#sendHead(), LIMITS.sseHeadMs);
    this.#opened.resolve();
  }

  write(chunk: Uint8Array | string): void | Promise<void> {
    if (this.#hasLeft) return undefined;
    if (this.#controller === undefined) return this.#opened.promise.then(() => this.write(chunk));
    this.#silence?.refresh();
    this.#hasWritten = true;
    const written = this.#controller.write(chunk);
    void this.#controller.flush();
    return written instanceof Promise ? this.#untilTaken(written) : undefined;
  }

  async end(last: string): Promise<void> {
    await this.write(last);
    clearTimeout(this.#silence);
    if (!this.#hasLeft) await this.#controller?.end();
  }

  /** The caller has left: further output is dropped, at full speed (decision 21, callers that leave, and slow readers). */
  leave(): void {
    this.#hasLeft = true;
    clearTimeout(this.#silence);
    this.#opened.resolve();
  }

  async #untilTaken(written: Promise<unknown>): Promise<void> {
    this.#isBlocked = true;
    await written;
    this.#isBlocked = false;
  }

  #sendHead(): void {
    // This comes first: a write refreshes the timer, and this one is over.
    this.#silence = setTimeout(() => this.#breakSilence(), this.#silenceMs);
    if (!this.#hasWritten) void this.write(KEEP_ALIVE);
  }

  /** Every write is whole events, so a comment may follow any of them. A caller that does not read gets none. */
  #breakSilence(): void {
    if (!this.#isBlocked) void this.write(KEEP_ALIVE);
    this.#silence?.refresh();
  }
}

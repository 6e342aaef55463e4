import { createParser } from 'eventsource-parser';

/** One event of a stream, by the words of the standard: `type` is `message` unless an `event:` line says otherwise. */
export interface SseMessage {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

/**
 * Reads an event stream in whatever pieces it arrives, by the grammar of the WHATWG HTML standard (9.2.6).
 *
 * A message is returned by the `push` that brings its blank line; one that the stream breaks off in is never returned.
 */
export class SseDecoder {
  /** The parser removes the byte order mark. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser = createParser({
    onId: (id) => {
      this.#lastEventId = id;
    },
    onRetry: (retryMs) => {
      this.#retryMs = retryMs;
    },
    onEvent: ({ event = 'message', data }) => {
      this.#messages.push({ type: event, data, lastEventId: this.#lastEventId });
    },
  });
  #messages: SseMessage[] = [];
  #lastEventId = '';
  #retryMs: number | undefined;

  /** The `Last-Event-ID` for a reconnect. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** The reconnect delay that the stream requested. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  push(chunk: Uint8Array): SseMessage[] {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    const messages = this.#messages;
    this.#messages = [];
    return messages;
  }
}

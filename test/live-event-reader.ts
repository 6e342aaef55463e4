import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';
import { liveEventMessage } from '@svc/core/api/contract/live-event-message';
import { SseDecoder } from '@svc/core/execution/sse-decoder';

export interface ReadEvent {
  readonly id: string;
  readonly event: LiveEventMessage;
}

/** Reads `GET /events`, and holds each event against its schema. */
export class LiveEventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new SseDecoder();
  readonly #events: ReadEvent[] = [];
  readonly #leave: AbortController;
  /** All that was read. */
  bytes = 0;

  private constructor(response: Response, leave: AbortController) {
    if (response.body === null) throw new Error(`status ${response.status} without a body`);
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.#leave = leave;
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<LiveEventReader> {
    const leave = new AbortController();
    const response = await fetch(url, { headers, signal: leave.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new LiveEventReader(response, leave);
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<ReadEvent | undefined> {
    while (this.#events.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.bytes += value.length;
      for (const { data, lastEventId } of this.#decoder.push(value))
        this.#events.push({ id: lastEventId, event: liveEventMessage.parse(JSON.parse(data)) });
    }
    return this.#events.shift();
  }

  /** The next one that is so; those before it are passed over. */
  async until(isMeant: (event: LiveEventMessage) => boolean): Promise<ReadEvent> {
    for (;;) {
      const next = await this.next();
      if (next === undefined) throw new Error('the stream ended before');
      if (isMeant(next.event)) return next;
    }
  }

  /** All events up to the end of the stream. */
  async rest(): Promise<LiveEventMessage[]> {
    const events: LiveEventMessage[] = [];
    for (let next = await this.next(); next !== undefined; next = await this.next()) events.push(next.event);
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort();
    await this.#reader.cancel().catch(() => undefined);
  }
}

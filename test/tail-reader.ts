import { type TailMessage, tailMessage } from '@svc/core/api/contract/tail-message';
import { SseDecoder } from '@svc/core/execution/sse-decoder';

/** Reads `GET /tail`, and checks each event against its schema. */
export class TailStream implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new SseDecoder();
  readonly #events: TailMessage[] = [];
  readonly #leave: AbortController;

  private constructor(response: Response, leave: AbortController) {
    if (response.body === null) throw new Error(`status ${response.status} without a body`);
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.#leave = leave;
  }

  /** Resolves when the hub has opened the tail. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<TailStream> {
    const leave = new AbortController();
    const response = await fetch(url, { headers, signal: leave.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const stream = new TailStream(response, leave);
    const first = await stream.next();
    if (first?.type !== 'ready') throw new Error(`"ready" expected, not ${JSON.stringify(first)}`);
    return stream;
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<TailMessage | undefined> {
    while (this.#events.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      for (const { data } of this.#decoder.push(value))
        this.#events.push(tailMessage.parse(JSON.parse(data)));
    }
    return this.#events.shift();
  }

  /** The texts of the next lines, up to the first that equals `text`. */
  async until(text: string): Promise<string[]> {
    const texts: string[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the stream ended before ${text}`);
      if (event.type !== 'line') continue;
      texts.push(event.data);
      if (event.data === text) return texts;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort();
    await this.#reader.cancel().catch(() => undefined);
  }
}

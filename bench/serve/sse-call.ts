/**
 * A client that does as little as a client can: one kept connection and one request on it after another, no HTTP library
 * whose threads and copies would be counted as the server's.
 */
export class SseConnection implements Disposable {
  #socket: Bun.Socket | undefined;
  #answer: Answer | undefined;

  static async open(origin: string): Promise<SseConnection> {
    const connection = new SseConnection();
    const { hostname, port } = new URL(origin);
    connection.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, chunk) => connection.#answer?.take(chunk),
        close: () => connection.#answer?.fail(new Error('the server closed the connection')),
      },
    });
    return connection;
  }

  /** Milliseconds from the request to the first event, once the whole answer was read. */
  async firstEventMs(path: string): Promise<number> {
    const answer = new Answer();
    this.#answer = answer;
    const began = performance.now();
    this.#socket?.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`);
    return (await answer.firstEventAt) - began;
  }

  [Symbol.dispose](): void {
    this.#answer = undefined;
    this.#socket?.end();
  }
}

/** One chunked answer as it arrives. */
class Answer {
  readonly firstEventAt: Promise<number>;
  readonly fail: (reason: Error) => void;
  readonly #settle: (at: number) => void;
  #text = '';
  #seenAt: number | undefined;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.firstEventAt = promise;
    this.#settle = resolve;
    this.fail = reject;
  }

  take(chunk: Uint8Array): void {
    this.#text += new TextDecoder().decode(chunk);
    if (this.#seenAt === undefined && this.#text.includes('"type":"output"'))
      this.#seenAt = performance.now();
    if (!this.#text.endsWith('\r\n0\r\n\r\n')) return;
    if (this.#seenAt === undefined) this.fail(new Error(`no output in the answer: ${this.#text}`));
    else this.#settle(this.#seenAt);
  }
}

import type { Timers } from '../timers.ts';

/** Why a socket closed. */
export interface Closing {
  /** The code of the close frame; 1006 if there was none. */
  readonly code: number;
  readonly reason: string;
  /** The HTTP status, when the upgrade was refused. */
  readonly status?: number;
  /** The hub rejected the `hello` as an invalid frame, so it would reject it again. */
  readonly isHelloRefused?: boolean;
}

export interface SocketEvents {
  opened(): void;
  received(message: string | Uint8Array): void;
  /** Called once, as the last event. */
  closed(closing: Closing): void;
}

export interface SocketTarget {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly token: string;
  readonly proxy: string | undefined;
}

/** How long a close frame may take to be answered before the connection is cut. */
const FAREWELL_MS = 1_000;
const ABNORMAL = 1006;

/** The DOM types win over Bun's. They lack its options and `terminate`. */
const BunWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions,
) => Bun.WebSocket;

/** One WebSocket to a hub: Bun's client, with exactly one close event. */
export class Socket {
  readonly #socket: Bun.WebSocket;
  readonly #events: SocketEvents;
  readonly #timers: Timers;
  #isOver = false;
  #failure = '';

  constructor({ url, token, proxy }: SocketTarget, timers: Timers, events: SocketEvents) {
    this.#events = events;
    this.#timers = timers;
    this.#socket = new BunWebSocket(url, {
      headers: { Authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      ...(proxy === undefined ? {} : { proxy }),
    });
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onopen = () => !this.#isOver && events.opened();
    this.#socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (!this.#isOver) events.received(typeof data === 'string' ? data : new Uint8Array(data));
    };
    // Only this text contains the status of a refused upgrade.
    this.#socket.onerror = ({ message }) => {
      this.#failure = message;
    };
    this.#socket.onclose = ({ code, reason }) => this.#over(this.#closing(code, reason));
  }

  /** The bytes that were sent and are still buffered. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

  /** Closes the socket from this side. `closed` is called before this returns, whether the other side answers or not. */
  close(code: number, reason: string): void {
    if (this.#isOver) return;
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.close(code, reason);
      const withdraw = this.#timers.after(FAREWELL_MS, () => this.#socket.terminate());
      this.#socket.onclose = withdraw;
    } else {
      this.#socket.terminate();
    }
    this.#over({ code, reason });
  }

  #over(closing: Closing): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.closed(closing);
  }

  #closing(code: number, reason: string): Closing {
    if (code !== ABNORMAL || reason !== '') return { code, reason };
    const [, status] = /status code: (\d{3})/.exec(this.#failure) ?? [];
    if (status !== undefined)
      return { code, reason: `it answered with status ${status}`, status: Number(status) };
    return { code, reason: this.#failure === '' ? 'the connection broke off' : shortened(this.#failure) };
  }
}

/** The message without the URL, which the reader knows. */
function shortened(failure: string): string {
  return failure.replace(/^WebSocket connection to '.*' failed: /, '').toLowerCase();
}

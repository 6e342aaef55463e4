import { LEAVING_PING } from '@svc/core/protocol/agent-frame';
import { CLOSE_CODES, type CloseReason } from '@svc/core/protocol/close-code';
import {
  type AgentFrame,
  type AgentFrameOf,
  decodeHubFrame,
  encodeFrame,
  type HubFrame,
  type HubFrameOf,
} from '@svc/core/protocol/frame';
import { decodeInputFrame, type InputFrame } from '@svc/core/protocol/input-frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type {
  LinkSocket,
  LinkSocketEvents,
  OpenLinkSocket,
  SocketClosing,
} from '@svc/core/protocol/link-socket';
import type { Timers } from '../timers.ts';
import { Heartbeat } from './heartbeat.ts';

/** The instructions of a hub between `welcome` and the end. */
export type Instruction = Exclude<HubFrame, { type: 'welcome' | 'ping' | 'pong' | 'error' }>;

export interface ConnectionEvents {
  /** Makes the `hello` frame, when the socket is open. */
  hello(): AgentFrameOf<'hello'>;
  welcomed(welcome: HubFrameOf<'welcome'>): void;
  instructed(instruction: Instruction): void;
  /** A piece of the body of a call. */
  input(frame: InputFrame): void;
  /** The hub has heard `leave`: it sent all orders that it will send. */
  left(): void;
  /** Called when there is room again after `sendOutput` had returned false. */
  drained(): void;
  /** Called once, as the last event. */
  closed(closing: Closing): void;
}

/** The limit of bytes that wait for the network. Acknowledgements bound each execution; this bounds their sum. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
/** Bun's client does not say when it has drained. */
const DRAIN_POLL_MS = 10;
/** RFC 6455, 5.5: a close frame has 125 bytes, two of them the code. */
const REASON_BYTES = 123;

/** One connection to a hub: hello, welcome, then frames both ways until it ends. */
export class HubConnection {
  readonly #socket: LinkSocket;
  readonly #timers: Timers;
  readonly #events: ConnectionEvents;
  readonly #withdrawTimeout: () => void;
  #heartbeat: Heartbeat | undefined;
  #withdrawPoll: (() => void) | undefined;
  /** The error message of the hub, which can be longer than a close reason. */
  #error: string | undefined;

  constructor(target: SocketTarget, timers: Timers, events: ConnectionEvents) {
    this.#timers = timers;
    this.#events = events;
    this.#withdrawTimeout = timers.after(LINK_LIMITS.connectMs, () =>
      this.close('silent', 'no welcome in time'),
    );
    this.#socket = openSocket(target, timers, {
      opened: () => this.send(events.hello()),
      received: (message) => this.#receive(message),
      closed: (closing) => this.#closed(closing),
    });
  }

  send(frame: AgentFrame): void {
    this.#socket.send(encodeFrame(frame));
  }

  /** Asks for no new orders. The hub answers the ping when none is under way any more, and `left` is called. */
  leave(): void {
    this.send({ type: 'leaving' });
    this.send({ type: 'ping', n: LEAVING_PING });
  }

  /** False if too much waits for the network; `drained` is called later. */
  sendOutput(frame: Uint8Array<ArrayBuffer>): boolean {
    if (this.#socket.bufferedBytes > MAX_BUFFERED_BYTES) {
      this.#withdrawPoll ??= this.#poll();
      return false;
    }
    this.#socket.send(frame);
    return true;
  }

  close(reason: CloseReason, text = ''): void {
    this.#socket.close(CLOSE_CODES[reason], cut(text, REASON_BYTES));
  }

  #receive(message: string | Uint8Array): void {
    this.#heartbeat?.onFrame();
    if (typeof message === 'string') this.#takeText(message);
    else this.#takeInput(message);
  }

  #takeText(message: string): void {
    const decoded = decodeHubFrame(message);
    if (decoded.kind === 'refused') this.close('bad_frame', decoded.message);
    else this.#take(decoded.frame);
  }

  #takeInput(message: Uint8Array): void {
    const decoded = decodeInputFrame(message);
    if (decoded.kind === 'refused') this.close('bad_frame', decoded.message);
    else if (this.#heartbeat === undefined) this.close('bad_frame', 'input before welcome');
    else this.#events.input(decoded.frame);
  }

  #take(frame: HubFrame): void {
    switch (frame.type) {
      case 'error':
        this.#error = frame.message;
        return;
      case 'ping':
        this.send({ type: 'pong', n: frame.n });
        return;
      case 'pong':
        if (frame.n === LEAVING_PING) this.#events.left();
        return;
      case 'welcome':
        if (this.#heartbeat === undefined) this.#welcomed(frame);
        else this.close('bad_frame', 'a second welcome');
        return;
      case 'registered':
      case 'run':
      case 'input_end':
      case 'input_cut':
      case 'cancel':
      case 'ack':
      case 'ended_ack':
      case 'run_ended':
      case 'move':
        if (this.#heartbeat === undefined) this.close('bad_frame', `${frame.type} before welcome`);
        else this.#events.instructed(frame);
    }
  }

  #welcomed(welcome: HubFrameOf<'welcome'>): void {
    this.#withdrawTimeout();
    this.#heartbeat = new Heartbeat(this.#timers, {
      ping: (n) => this.send({ type: 'ping', n }),
      died: () => this.close('silent', 'no answer to pings'),
    });
    this.#events.welcomed(welcome);
  }

  #poll(): () => void {
    return this.#timers.after(DRAIN_POLL_MS, () => {
      this.#withdrawPoll = undefined;
      if (this.#socket.bufferedBytes > MAX_BUFFERED_BYTES) this.#withdrawPoll = this.#poll();
      else this.#events.drained();
    });
  }

  #closed(closing: SocketClosing): void {
    this.#withdrawTimeout();
    this.#withdrawPoll?.();
    this.#heartbeat?.stop();
    const isHelloRefused = this.#heartbeat === undefined && closing.code === CLOSE_CODES.bad_frame;
    const info = this.#error === undefined ? closing : { ...closing, reason: this.#error };
    this.#events.closed(this.#error !== undefined && isHelloRefused ? { ...info, isHelloRefused } : info);
  }
}

function cut(text: string, bytes: number): string {
  const target = new Uint8Array(bytes);
  return text.slice(0, new TextEncoder().encodeInto(text, target).read);
}

export interface Closing extends SocketClosing {
  /** The hub rejected the `hello` as an invalid frame, so it would reject it again. */
  readonly isHelloRefused?: boolean;
}

export interface SocketTarget {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly token: string;
  readonly proxy: string | undefined;
  /** Connects to a hub in this process; absent: opens a WebSocket to the URL. */
  readonly open?: OpenLinkSocket | undefined;
}

function openSocket(target: SocketTarget, timers: Timers, events: LinkSocketEvents): LinkSocket {
  return target.open?.(target.token, events) ?? new Socket(target, timers, events);
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
class Socket implements LinkSocket {
  readonly #socket: Bun.WebSocket;
  readonly #events: LinkSocketEvents;
  readonly #timers: Timers;
  #isOver = false;
  #failure = '';

  constructor({ url, token, proxy }: SocketTarget, timers: Timers, events: LinkSocketEvents) {
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

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

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

  #over(closing: SocketClosing): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.closed(closing);
  }

  #closing(code: number, reason: string): SocketClosing {
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

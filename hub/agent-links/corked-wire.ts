import type { Wire } from './connection.ts';

/** The used part of the WebSocket of Bun's server. */
export interface ServerSocket {
  readonly readyState: number;
  send(frame: string): number;
  close(code: number, reason: string): void;
  cork<Result>(action: () => Result): Result;
}

const OPEN = 1;
const DROPPED = 0;

/**
 * Sends all frames of one turn of the event loop in one system call. A group commit ends many executions at once, and
 * each frame would else be a system call.
 *
 * A frame that is dropped for lack of buffer space closes the socket; agent and hub reconcile after the reconnect.
 */
export class CorkedWire implements Wire {
  readonly #socket: ServerSocket;
  #frames: string[] = [];

  constructor(socket: ServerSocket) {
    this.#socket = socket;
  }

  send(frame: string): boolean {
    if (this.#socket.readyState !== OPEN) return false;
    if (this.#frames.push(frame) === 1) setImmediate(() => this.#flush());
    return true;
  }

  close(code: number, reason: string): void {
    this.#flush();
    this.#socket.close(code, reason);
  }

  #flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    if (frames.length === 0 || this.#socket.readyState !== OPEN) return;
    const isSent = this.#socket.cork(() => frames.every((frame) => this.#socket.send(frame) !== DROPPED));
    if (!isSent) this.#socket.close(1013, 'too much is on its way');
  }
}

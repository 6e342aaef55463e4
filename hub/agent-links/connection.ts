import { LEAVING_PING } from '@svc/core/protocol/agent-frame';
import { type ExecutionOrder, encodeFrame } from '@svc/core/protocol/frame';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Host } from './host.ts';

/** The state of a WebSocket that is open, and what its `send` returns for a dropped frame. */
const OPEN = 1;
const DROPPED = 0;

/** The destination of frames. */
export interface Wire {
  /** False when the connection is closed: nothing was written. */
  send(frame: string | Uint8Array<ArrayBuffer>): boolean;
  close(code: number, reason: string): void;
}

/** The used part of the WebSocket of Bun's server. */
export interface ServerSocket {
  readonly readyState: number;
  send(frame: string | Uint8Array<ArrayBuffer>): number;
  close(code: number, reason: string): void;
  cork<Result>(action: () => Result): Result;
}

/**
 * Sends all frames of one turn of the event loop in one system call. A group commit ends many executions at once, and
 * each frame would else be a system call.
 *
 * A frame that is dropped for lack of buffer space closes the socket; agent and hub reconcile after the reconnect.
 */
export class CorkedWire implements Wire {
  readonly #socket: ServerSocket;
  #frames: (string | Uint8Array<ArrayBuffer>)[] = [];

  constructor(socket: ServerSocket) {
    this.#socket = socket;
  }

  send(frame: string | Uint8Array<ArrayBuffer>): boolean {
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

/** The connection of an agent process after its hello. */
export class Connection {
  readonly process: AgentProcess & { running: number };
  readonly tokenId: string;
  /** For a host of the hosted runner: its capacity. */
  readonly host: Host | undefined;
  readonly #wire: Wire;
  readonly #running = new Set<string>();
  /** The number of reserved slots. */
  #reserved = 0;
  /** Orders that await confirmation, by the number of the ping after each. */
  readonly #unconfirmed = new Map<number, string>();
  #pings = 0;
  /** Slug to hash of the process's own file. */
  #definitions: ReadonlyMap<string, string>;
  isLeaving = false;
  #isToMove = false;
  /** The ping after `leaving` is answered when no slot is reserved. */
  #owesPong = false;

  constructor(
    wire: Wire,
    tokenId: string,
    process: Omit<AgentProcess, 'running'>,
    definitions: ReadonlyMap<string, string>,
    host?: Host,
  ) {
    this.#wire = wire;
    this.host = host;
    this.tokenId = tokenId;
    this.#definitions = definitions;
    this.process = { ...process, running: 0 };
  }

  /** Running executions and reserved slots. */
  get load(): number {
    return this.process.running + this.#reserved;
  }

  /** Reserves a slot; the returned function releases it, once. */
  reserveSlot(): () => void {
    this.#reserved += 1;
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      this.#reserved -= 1;
      // The order for this slot is sent in this turn of the event loop.
      if (this.isLeaving) queueMicrotask(() => this.#sayIfFree());
    };
  }

  /** Asks the agent to connect to another hub, after all reserved work was sent. It gets no new work. */
  move(): void {
    this.isLeaving = true;
    this.#isToMove = true;
    this.#sayIfFree();
  }

  /**
   * Answers a ping. The answer to the ping after `leaving` says that no order follows, so it comes after all reserved work was sent. The
   * heartbeat is answered at once: an agent without an answer takes its connection for dead.
   */
  answerPing(n: number): void {
    if (n !== LEAVING_PING || !this.isLeaving) {
      this.send(encodeFrame({ type: 'pong', n }));
      return;
    }
    this.#owesPong = true;
    this.#sayIfFree();
  }

  #sayIfFree(): void {
    if (this.#reserved > 0) return;
    if (this.#owesPong) {
      this.#owesPong = false;
      this.send(encodeFrame({ type: 'pong', n: LEAVING_PING }));
    }
    if (!this.#isToMove) return;
    this.#isToMove = false;
    this.send(encodeFrame({ type: 'move' }));
  }

  /** Replaces the definitions of the agent's file. */
  redefine(definitions: ReadonlyMap<string, string>): void {
    this.#definitions = definitions;
  }

  /** In a pool only the processes with the same definition run an endpoint (decision 31, which agent runs an endpoint). */
  isRefusing({ source, definitionHash, endpoint }: RegisteredEndpoint): boolean {
    if (this.host !== undefined) return false;
    if (source === 'api') return this.process.isLocalOnly;
    return this.#definitions.get(endpoint.slug) !== definitionHash;
  }

  run(order: ExecutionOrder, isToBeConfirmed: boolean): boolean {
    if (!this.send(encodeFrame(order))) return false;
    this.takes(order.execution_id);
    this.host?.keeps(order.hosted?.run_id);
    if (isToBeConfirmed) this.#askWhetherTaken(order.execution_id);
    return true;
  }

  /** The execution that a pong confirms. Frames are handled in order, so the agent has the order before the ping. */
  confirmed(n: number): string | undefined {
    const executionId = this.#unconfirmed.get(n);
    this.#unconfirmed.delete(n);
    return executionId;
  }

  #askWhetherTaken(executionId: string): void {
    this.#pings += 1;
    this.#unconfirmed.set(this.#pings, executionId);
    this.send(encodeFrame({ type: 'ping', n: this.#pings }));
  }

  /** Counts an execution of the process; the least busy process of a pool is chosen first. */
  takes(executionId: string): void {
    this.#running.add(executionId);
    this.process.running = this.#running.size;
  }

  ended(executionId: string): void {
    this.#running.delete(executionId);
    this.process.running = this.#running.size;
  }

  /** False when nothing was written. */
  send(frame: string | Uint8Array<ArrayBuffer>): boolean {
    return this.#wire.send(frame);
  }

  close(code: number, reason: string): void {
    this.#wire.close(code, reason);
  }
}

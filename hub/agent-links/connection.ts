import { type ExecutionOrder, encodeFrame } from '@svc/core/protocol/frame';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Host } from './host.ts';

/** Where frames go. */
export interface Wire {
  /** False when the connection is closed: nothing was written. */
  send(frame: string): boolean;
  close(code: number, reason: string): void;
}

/** One agent process that has said hello, and how it is spoken to. */
export class Connection {
  readonly process: AgentProcess & { running: number };
  readonly tokenId: string;
  /** Of a host of the hosted runner: what it has room for. */
  readonly host: Host | undefined;
  readonly #wire: Wire;
  readonly #running = new Set<string>();
  /** Those that it is about to be given. */
  #held = 0;
  /** Orders to be confirmed, by the number of the ping behind each. */
  readonly #unconfirmed = new Map<number, string>();
  #pings = 0;
  /** Slug to hash: what this process has in its own file. */
  #definitions: ReadonlyMap<string, string>;
  isLeaving = false;
  #isToMove = false;

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

  /** How much it has to do, with what is about to come. */
  get load(): number {
    return this.process.running + this.#held;
  }

  /** Counts one that it is about to be given; the returned function stops that, once. */
  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      // What it was held for is sent in this turn.
      if (this.#isToMove) queueMicrotask(() => this.#moveIfFree());
    };
  }

  /** Asks the agent to connect elsewhere, once it has been sent what was meant for it already; nothing more is. */
  move(): void {
    this.isLeaving = true;
    this.#isToMove = true;
    this.#moveIfFree();
  }

  #moveIfFree(): void {
    if (this.#held > 0 || !this.#isToMove) return;
    this.#isToMove = false;
    this.send(encodeFrame({ type: 'move' }));
  }

  /** The agent has a new file. */
  redefine(definitions: ReadonlyMap<string, string>): void {
    this.#definitions = definitions;
  }

  /** Of a pool only those that registered the same definition run an endpoint (decision 31). */
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

  /** The execution that a pong confirms: frames are answered in their order, so the agent has what came before the ping. */
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

  /** Notes that the process has it: the least busy of a pool comes first. */
  takes(executionId: string): void {
    this.#running.add(executionId);
    this.process.running = this.#running.size;
  }

  ended(executionId: string): void {
    this.#running.delete(executionId);
    this.process.running = this.#running.size;
  }

  /** False when nothing was written. */
  send(frame: string): boolean {
    return this.#wire.send(frame);
  }

  close(code: number, reason: string): void {
    this.#wire.close(code, reason);
  }
}

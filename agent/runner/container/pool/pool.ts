import { availableParallelism } from 'node:os';
import { Semaphore } from '@svc/core/semaphore';
import { settlesWithin } from '../../settles-within.ts';
import { type ContainerRequest, type Engine, EngineError } from '../engine.ts';
import { ShimChannel } from '../shim/channel.ts';
import { PoolSize } from './pool-size.ts';

export interface ContainerPoolOptions {
  readonly engine: Engine;
  /** The most containers that wait; each costs about five megabytes. */
  readonly maxWaiting: number;
  /** Called if a container could not be started ahead or not be removed. A request for one then gets the first error, too. */
  readonly onTrouble: (cause: unknown) => void;
  /** How long a container may take to start; default: a minute, where milliseconds are usual. */
  readonly readyWithinMs?: number;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/** The limits of a waiting container: enough for the shim. */
const SPARE: ContainerRequest = { limits: { vcpus: 1, memoryBytes: 64 * 1024 * 1024 }, network: false };
/** The number of containers that start ahead at the same time. Running commands have priority on the processors. */
const MAX_STARTING = 2;
const READY_WITHIN_MS = 60_000;
/** The pause after the last take: the burst is complete, and a short command is over. */
const REFILL_AFTER_MS = 20;
/** The longest delay if takes continue. */
const REFILL_WITHIN_MS = 200;

/**
 * A pool of containers that are started ahead, each for one command. Its size is the recent demand within a second. If none
 * waits, the call waits for a new one.
 */
export class ContainerPool {
  readonly #options: ContainerPoolOptions;
  readonly #nowMs: () => number;
  readonly #size: PoolSize;
  readonly #startLimit = new Semaphore(2 * availableParallelism());
  readonly #waiting: ShimChannel[] = [];
  readonly #making = new Set<Promise<ShimChannel>>();
  readonly #leaving = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #refillByMs: number | undefined;
  #closed = false;

  constructor(options: ContainerPoolOptions) {
    this.#options = options;
    const { maxWaiting, nowMs = () => performance.now() } = options;
    this.#nowMs = nowMs;
    this.#size = new PoolSize(maxWaiting, nowMs);
    this.#refill();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes an unused container, with these limits in force. Rejects if none can be created. */
  async take(request: ContainerRequest): Promise<ShimChannel> {
    if (this.#closed) throw new Error('this runner has been disposed of');
    if (request.network || request.workspace !== undefined || request.output !== undefined)
      return await this.#make(request);
    this.#size.recordTake();
    for (;;) {
      const ahead = this.#waiting.shift() ?? (await this.#underWay());
      const channel = ahead ?? (await this.#make(SPARE));
      try {
        await channel.container.limit(request.limits);
        return channel;
      } catch (error) {
        this.#discard(channel);
        // A waiting container may just have ended; the next one shows whether the machine has a problem.
        if (ahead === undefined) throw error;
      }
    }
  }

  /**
   * Called after a command was handed over: starts replacements after that command and those close behind it, because a
   * start needs the thread and the processors for longer than a handover.
   */
  refillSoon(): void {
    const nowMs = this.#nowMs();
    this.#refillByMs ??= nowMs + REFILL_WITHIN_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#refillByMs = undefined;
        this.#refill();
      },
      Math.max(0, Math.min(REFILL_AFTER_MS, this.#refillByMs - nowMs)),
    );
  }

  #refill(): void {
    const missing = this.#size.wanted() - this.#waiting.length - this.#making.size;
    const room = MAX_STARTING - this.#making.size;
    for (let count = Math.min(missing, room); count > 0 && !this.#closed; count -= 1) void this.#makeAhead();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#making);
    for (const channel of this.#waiting.splice(0)) this.#discard(channel);
    await Promise.all(this.#leaving);
  }

  /** A container that is already starting is ready sooner than a new one. */
  async #underWay(): Promise<ShimChannel | undefined> {
    const [underWay] = this.#making;
    if (underWay === undefined) return undefined;
    this.#making.delete(underWay);
    return await underWay;
  }

  async #makeAhead(): Promise<void> {
    const making = this.#make(SPARE);
    this.#making.add(making);
    try {
      const channel = await making;
      // It is no longer listed: a caller has taken it before it was ready.
      if (!this.#making.delete(making)) return;
      if (this.#closed) this.#discard(channel);
      else this.#keep(channel);
      this.#refill();
    } catch (error) {
      // There is no automatic retry; the next request tries again.
      if (this.#making.delete(making)) this.#options.onTrouble(error);
    }
  }

  #keep(channel: ShimChannel): void {
    this.#waiting.push(channel);
    void channel.container.ended.then(() => this.#lost(channel));
  }

  /** The container ended while it waited: it was killed, or the machine ran out of memory. */
  #lost(channel: ShimChannel): void {
    const at = this.#waiting.indexOf(channel);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#discard(channel);
  }

  /** Many at once block each other in the kernel: all of them then take longer than one after the other. */
  async #make(request: ContainerRequest): Promise<ShimChannel> {
    const leave = await this.#startLimit.enter();
    try {
      return await this.#makeNow(request);
    } finally {
      leave();
    }
  }

  async #makeNow(request: ContainerRequest): Promise<ShimChannel> {
    const { engine, readyWithinMs = READY_WITHIN_MS } = this.#options;
    const channel = new ShimChannel(await engine.create(request));
    try {
      const ready = channel.ready();
      if (await settlesWithin(ready, readyWithinMs)) await ready;
      else throw new EngineError(`a container was not ready within ${readyWithinMs / 1_000} s`);
      return channel;
    } catch (error) {
      this.#discard(channel);
      throw error;
    }
  }

  /** Runs in the background: a request does not wait for this removal. */
  #discard(channel: ShimChannel): void {
    channel.abandon();
    const removal = channel.container.remove().catch(this.#options.onTrouble);
    const gone = removal.finally(() => this.#leaving.delete(gone));
    this.#leaving.add(gone);
  }
}

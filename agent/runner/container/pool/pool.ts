import { availableParallelism } from 'node:os';
import { settlesWithin } from '../../settles-within.ts';
import { type ContainerRequest, type Engine, EngineError } from '../engine.ts';
import { ShimChannel } from '../shim/channel.ts';
import { PoolSize } from './demand.ts';
import { Semaphore } from './gate.ts';

export interface ContainerPoolOptions {
  readonly engine: Engine;
  /** How many may wait at most: each costs about five megabytes. */
  readonly mostWaiting: number;
  /** Hears why a container could not be made ahead, of which whoever needs one then hears too, or not be removed. */
  readonly onTrouble: (cause: unknown) => void;
  /** How long a container may take to start; default: a minute, where milliseconds are usual. */
  readonly readyWithinMs?: number;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/** What a container may have while it waits: enough for the shim. */
const SPARE: ContainerRequest = { limits: { vcpus: 1, memoryBytes: 64 * 1024 * 1024 }, network: false };
/** Made ahead at the same time: what runs has the processors first. */
const MADE_AT_ONCE = 2;
const READY_WITHIN_MS = 60_000;
/** Nobody has taken one for so long: a burst has come, and a short command is over. */
const REFILL_AFTER_MS = 20;
/** However many go on being taken. */
const REFILL_WITHIN_MS = 200;

/**
 * Containers that were started ahead and wait, each for one command. There are as many as were lately needed within a
 * second. Where none waits, one is made at once: then the call waits for it.
 */
export class ContainerPool {
  readonly #options: ContainerPoolOptions;
  readonly #nowMs: () => number;
  readonly #demand: PoolSize;
  readonly #gate = new Semaphore(2 * availableParallelism());
  readonly #waiting: ShimChannel[] = [];
  readonly #making = new Set<Promise<ShimChannel>>();
  readonly #leaving = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #refillByMs: number | undefined;
  #closed = false;

  constructor(options: ContainerPoolOptions) {
    this.#options = options;
    const { mostWaiting, nowMs = () => performance.now() } = options;
    this.#nowMs = nowMs;
    this.#demand = new PoolSize(mostWaiting, nowMs);
    this.#refill();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** A container in which nothing has run, with these limits in force. Rejects when there is none to be had. */
  async take(request: ContainerRequest): Promise<ShimChannel> {
    if (this.#closed) throw new Error('this runner has been disposed of');
    if (request.network || request.workspace !== undefined) return await this.#make(request);
    this.#demand.note();
    for (;;) {
      const ahead = this.#waiting.shift() ?? (await this.#underWay());
      const channel = ahead ?? (await this.#make(SPARE));
      try {
        await channel.container.limit(request.limits);
        return channel;
      } catch (error) {
        this.#discard(channel);
        // One that was made ahead may have ended just now: the next one shows whether it is the machine.
        if (ahead === undefined) throw error;
      }
    }
  }

  /**
   * For whoever took one and has handed over their command: what is missing is made behind it, and behind those who come with
   * it, since a start has the thread and the processors for longer than a handover.
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
    const missing = this.#demand.wanted() - this.#waiting.length - this.#making.size;
    const room = MADE_AT_ONCE - this.#making.size;
    for (let count = Math.min(missing, room); count > 0 && !this.#closed; count -= 1) void this.#makeAhead();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#making);
    for (const channel of this.#waiting.splice(0)) this.#discard(channel);
    await Promise.all(this.#leaving);
  }

  /** One that is under way already is there sooner than a new one. */
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
      // Not here any more: somebody has taken it before it was ready.
      if (!this.#making.delete(making)) return;
      if (this.#closed) this.#discard(channel);
      else this.#keep(channel);
      this.#refill();
    } catch (error) {
      // Not tried again by itself: who needs one will.
      if (this.#making.delete(making)) this.#options.onTrouble(error);
    }
  }

  #keep(channel: ShimChannel): void {
    this.#waiting.push(channel);
    void channel.container.ended.then(() => this.#lost(channel));
  }

  /** It ended while it waited: somebody killed it, or the machine had no memory left. */
  #lost(channel: ShimChannel): void {
    const at = this.#waiting.indexOf(channel);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#discard(channel);
  }

  /** Many at once stand in each other's way in the kernel: then all of them take longer than one after the other. */
  async #make(request: ContainerRequest): Promise<ShimChannel> {
    const leave = await this.#gate.enter();
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

  /** Whoever wants a container does not wait for this one to be gone. */
  #discard(channel: ShimChannel): void {
    channel.abandon();
    const removal = channel.container.remove().catch(this.#options.onTrouble);
    const gone = removal.finally(() => this.#leaving.delete(gone));
    this.#leaving.add(gone);
  }
}

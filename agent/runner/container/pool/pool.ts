import { availableParallelism } from 'node:os';
import { Semaphore } from '@svc/core/semaphore';
import { settlesWithin } from '../../settles-within.ts';
import { type ContainerLimits, type ContainerRequest, type Engine, EngineError } from '../engine.ts';
import { ShimChannel } from '../shim/channel.ts';
import { PoolSize } from './pool-size.ts';

/** The request for a container that is created before its command is known. */
export interface Preparation {
  readonly request: ContainerRequest;
  /** Removes the resources of a container that no command took. */
  discard(): Promise<void>;
}

/** A container that was started ahead. */
export interface ContainerAhead<Prepared extends Preparation> {
  readonly channel: ShimChannel;
  readonly prepared: Prepared;
}

export interface ContainerPoolOptions<Prepared extends Preparation> {
  readonly engine: Engine;
  readonly prepare: () => Promise<Prepared>;
  /** The most containers that wait; each costs about five megabytes. */
  readonly maxWaiting: number;
  /** Called if a container could not be started ahead or not be removed. A request for one then gets the first error, too. */
  readonly onTrouble: (cause: unknown) => void;
  /** How long a container may take to start; default: a minute, where milliseconds are usual. */
  readonly readyWithinMs?: number;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/** The request for a waiting container. Its limits are enough for the shim. */
export const SPARE: ContainerRequest = {
  limits: { vcpus: 1, memoryBytes: 64 * 1024 * 1024 },
  network: false,
};
/** Prepares a container without other resources. */
export const BARE = () => Promise.resolve({ request: SPARE, discard: () => Promise.resolve() });
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
export class ContainerPool<Prepared extends Preparation = Preparation> {
  readonly #options: ContainerPoolOptions<Prepared>;
  readonly #nowMs: () => number;
  readonly #size: PoolSize;
  readonly #startLimit = new Semaphore(2 * availableParallelism());
  readonly #waiting: ContainerAhead<Prepared>[] = [];
  readonly #making = new Set<Promise<ContainerAhead<Prepared>>>();
  readonly #leaving = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #refillByMs: number | undefined;
  #closed = false;

  constructor(options: ContainerPoolOptions<Prepared>) {
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
    return (await this.takeAhead(request.limits)).channel;
  }

  /** Takes an unused container with what was prepared for it. Rejects if none can be created. */
  async takeAhead(limits: ContainerLimits): Promise<ContainerAhead<Prepared>> {
    if (this.#closed) throw new Error('this runner has been disposed of');
    this.#size.recordTake();
    for (;;) {
      const waiting = this.#waiting.shift() ?? (await this.#underWay());
      const ahead = waiting ?? (await this.#prepare());
      try {
        await ahead.channel.container.limit(limits);
        return ahead;
      } catch (error) {
        this.discard(ahead);
        // A waiting container may just have ended; the next one shows whether the machine has a problem.
        if (waiting === undefined) throw error;
      }
    }
  }

  /** Removes an unused container in the background: a request does not wait for this removal. */
  discard({ channel, prepared }: ContainerAhead<Prepared>): void {
    this.#remove(channel, () => prepared.discard());
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
    for (const ahead of this.#waiting.splice(0)) this.discard(ahead);
    await Promise.all(this.#leaving);
  }

  /** A container that is already starting is ready sooner than a new one. */
  async #underWay(): Promise<ContainerAhead<Prepared> | undefined> {
    const [underWay] = this.#making;
    if (underWay === undefined) return undefined;
    this.#making.delete(underWay);
    return await underWay;
  }

  async #makeAhead(): Promise<void> {
    const making = this.#prepare();
    this.#making.add(making);
    try {
      const ahead = await making;
      // It is no longer listed: a caller has taken it before it was ready.
      if (!this.#making.delete(making)) return;
      if (this.#closed) this.discard(ahead);
      else this.#keep(ahead);
      this.#refill();
    } catch (error) {
      // There is no automatic retry; the next request tries again.
      if (this.#making.delete(making)) this.#options.onTrouble(error);
    }
  }

  #keep(ahead: ContainerAhead<Prepared>): void {
    this.#waiting.push(ahead);
    void ahead.channel.container.ended.then(() => this.#lost(ahead));
  }

  /** The container ended while it waited: it was killed, or the machine ran out of memory. */
  #lost(ahead: ContainerAhead<Prepared>): void {
    const at = this.#waiting.indexOf(ahead);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.discard(ahead);
  }

  async #prepare(): Promise<ContainerAhead<Prepared>> {
    const prepared = await this.#options.prepare();
    try {
      return { channel: await this.#make(prepared.request), prepared };
    } catch (error) {
      this.#leave(prepared.discard());
      throw error;
    }
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
      this.#remove(channel);
      throw error;
    }
  }

  #remove(channel: ShimChannel, andThen = () => Promise.resolve()): void {
    channel.abandon();
    this.#leave(channel.container.remove().catch(this.#options.onTrouble).then(andThen));
  }

  #leave(work: Promise<void>): void {
    const done = work.catch(this.#options.onTrouble).finally(() => this.#leaving.delete(done));
    this.#leaving.add(done);
  }
}

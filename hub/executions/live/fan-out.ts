import { releaseMemory } from '@svc/core/execution/release-memory';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Clock } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';

/** How long an execution waits for a slow reader (decision 21, callers that leave). */
export const PACE_MS = 30_000;

/** The responses that follow one execution. */
export class FanOut {
  readonly #clock: Clock;
  readonly #onCaughtUp: () => void;
  readonly #readers = new Set<LiveReader>();
  #stopWaiting: (() => void) | undefined;
  #isOver = false;

  /** @param onCaughtUp called when no reader is behind any more */
  constructor(clock: Clock, onCaughtUp: () => void) {
    this.#clock = clock;
    this.#onCaughtUp = onCaughtUp;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Whether the execution should be paced. */
  get isBehind(): boolean {
    for (const reader of this.#readers) if (reader.isBehind) return true;
    return false;
  }

  join(): LiveReader {
    const reader = new LiveReader(() => this.#resumeIfCaughtUp());
    this.#readers.add(reader);
    if (this.#isOver) reader.end();
    return reader;
  }

  leave(reader: LiveReader): void {
    this.#readers.delete(reader);
    reader.drop();
    this.#resumeIfCaughtUp();
  }

  push(chunk: OutputChunk): void {
    for (const reader of this.#readers) reader.push(chunk);
    if (this.#stopWaiting === undefined && this.isBehind) this.#waitForSlow();
  }

  /** Sends a chunk that only readers use. Its memory is released when every reader has written it. */
  lend(chunk: OutputChunk): void {
    let holders = this.#readers.size;
    const letGo = () => {
      holders -= 1;
      if (holders === 0) releaseMemory(chunk.sse);
    };
    if (holders === 0) releaseMemory(chunk.sse);
    else this.push({ ...chunk, letGo });
  }

  end(): void {
    this.#isOver = true;
    for (const reader of this.#readers) reader.end();
    this.#stopWaiting?.();
  }

  /** Ends all readers with `moved`: another hub has the execution now. */
  moveAll(): void {
    for (const reader of this.#readers) reader.end('moved');
    this.#stopWaiting?.();
  }

  #waitForSlow(): void {
    this.#stopWaiting = this.#clock.at(this.#clock.nowMs() + PACE_MS, () => {
      for (const reader of this.#readers) if (reader.isBehind) reader.drop();
      this.#resumeIfCaughtUp();
    });
  }

  #resumeIfCaughtUp(): void {
    if (this.#stopWaiting === undefined || this.isBehind) return;
    this.#stopWaiting();
    this.#stopWaiting = undefined;
    this.#onCaughtUp();
  }
}

/**
 * The next event of a reader: output, the end, `dropped` for a reader that was too slow, `moved` when another hub has the
 * execution.
 */
type Live =
  | { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] }
  | { readonly kind: 'ended' | 'dropped' | 'moved' };

/** The buffer of one response; a fuller one paces the execution (decision 21, callers that leave). */
const BUFFER_BYTES = 1024 * 1024;
/** The limit of one buffer: while it is paced, an agent still sends what fits into its window. */
const MAX_BUFFER_BYTES = 2 * LINK_LIMITS.windowBytes;

/** A bounded queue of output for one response. The execution fills it; the reader empties it at its own speed. */
export class LiveReader {
  readonly #onCaughtUp: () => void;
  #queue: OutputChunk[] = [];
  #bytes = 0;
  #end: 'ended' | 'dropped' | 'moved' | undefined;
  #waiting: ((live: Live) => void) | undefined;

  constructor(onCaughtUp: () => void) {
    this.#onCaughtUp = onCaughtUp;
  }

  /** True while the execution should wait for this reader. */
  get isBehind(): boolean {
    return this.#end === undefined && this.#bytes > BUFFER_BYTES;
  }

  push(chunk: OutputChunk): void {
    if (this.#end !== undefined) return;
    this.#queue.push(chunk);
    this.#bytes += chunk.sse.length;
    if (this.#bytes > MAX_BUFFER_BYTES) this.drop();
    else this.#deliver();
  }

  end(how: 'ended' | 'moved' = 'ended'): void {
    this.#end ??= how;
    this.#deliver();
  }

  /** Empties the queue and ends the reader as too slow. */
  drop(): void {
    if (this.#end !== undefined) return;
    this.#end = 'dropped';
    this.#queue = [];
    this.#bytes = 0;
    this.#deliver();
  }

  /** Everything in the queue, as soon as there is something. One caller at a time. */
  next(): Promise<Live> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#deliver();
    });
  }

  #deliver(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const live = this.#take();
    if (live === undefined) return;
    this.#waiting = undefined;
    waiting(live);
  }

  #take(): Live | undefined {
    if (this.#queue.length === 0) return this.#end === undefined ? undefined : { kind: this.#end };
    const chunks = this.#queue;
    const wasBehind = this.isBehind;
    this.#queue = [];
    this.#bytes = 0;
    if (wasBehind) this.#onCaughtUp();
    return { kind: 'output', chunks };
  }
}

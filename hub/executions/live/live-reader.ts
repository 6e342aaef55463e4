import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { OutputChunk } from '../execution-ports.ts';

/** What a reader gets next: output, the end, that it was too slow, or that another hub has the execution now. */
export type Live =
  | { readonly kind: 'output'; readonly chunks: readonly OutputChunk[] }
  | { readonly kind: 'ended' | 'dropped' | 'moved' };

/** What one response may hold before its run is paced by it (decision 21). */
const BUFFER_BYTES = 1024 * 1024;
/** What it may hold at most: pacing lets an agent send what its window has room for, and no more. */
const MAX_BUFFER_BYTES = 2 * LINK_LIMITS.windowBytes;

/** Output on its way to one response: a bounded queue that is filled at the speed of the run, emptied at that of the reader. */
export class LiveReader {
  readonly #onCaughtUp: () => void;
  #queue: OutputChunk[] = [];
  #bytes = 0;
  #end: 'ended' | 'dropped' | 'moved' | undefined;
  #waiting: ((live: Live) => void) | undefined;

  constructor(onCaughtUp: () => void) {
    this.#onCaughtUp = onCaughtUp;
  }

  /** True while the run should wait for this reader. */
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

  /** Whatever is queued is forgotten: the reader is told that it was too slow. */
  drop(): void {
    if (this.#end !== undefined) return;
    this.#end = 'dropped';
    this.#queue = [];
    this.#bytes = 0;
    this.#deliver();
  }

  /** All that is queued, as soon as there is something; for one caller at a time. */
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

import { releaseMemory } from '@svc/core/execution/release-memory';
import type { Clock } from '../../platform/world.ts';
import type { OutputChunk } from '../execution-ports.ts';
import { LiveReader } from './live-reader.ts';

/** How long a run waits for a reader that does not keep up (decision 21). */
export const PACE_MS = 30_000;

/** The responses that follow one execution. */
export class FanOut {
  readonly #clock: Clock;
  readonly #onCaughtUp: () => void;
  readonly #readers = new Set<LiveReader>();
  #stopWaiting: (() => void) | undefined;
  #isOver = false;

  /** @param onCaughtUp is called when no reader is behind any more */
  constructor(clock: Clock, onCaughtUp: () => void) {
    this.#clock = clock;
    this.#onCaughtUp = onCaughtUp;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Whether the run should be paced. */
  get isBehind(): boolean {
    for (const reader of this.#readers) if (reader.isBehind) return true;
    return false;
  }

  join(): LiveReader {
    const reader = new LiveReader(() => this.#review());
    this.#readers.add(reader);
    if (this.#isOver) reader.end();
    return reader;
  }

  leave(reader: LiveReader): void {
    this.#readers.delete(reader);
    reader.drop();
    this.#review();
  }

  push(chunk: OutputChunk): void {
    for (const reader of this.#readers) reader.push(chunk);
    if (this.#stopWaiting === undefined && this.isBehind) this.#waitForSlow();
  }

  /** The same of one whose bytes nobody else looks at: they go when every reader has let go of them. */
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

  /** Nothing more comes here: another hub has it. */
  moveAll(): void {
    for (const reader of this.#readers) reader.end('moved');
    this.#stopWaiting?.();
  }

  #waitForSlow(): void {
    this.#stopWaiting = this.#clock.at(this.#clock.nowMs() + PACE_MS, () => {
      for (const reader of this.#readers) if (reader.isBehind) reader.drop();
      this.#review();
    });
  }

  #review(): void {
    if (this.#stopWaiting === undefined || this.isBehind) return;
    this.#stopWaiting();
    this.#stopWaiting = undefined;
    this.#onCaughtUp();
  }
}

import { LIMITS } from '@svc/core/plan/limits';
import { CollectingSink } from './collected.ts';
import type { OutputPipeline } from './output-pipeline.ts';

/**
 * Output that waits for the transform result of its command. With `on_error: raw`, stdout that is too long for a transform
 * decides early: from there on everything is streamed.
 */
export class RetainedOutput {
  readonly #pipeline: OutputPipeline;
  readonly #streamsWhenTooLong: boolean;
  readonly #collected = new CollectingSink({
    stdout: LIMITS.transformInputBytes,
    stderr: LIMITS.bufferedOutputBytes,
  });
  #released: Promise<void> | undefined;

  constructor(pipeline: OutputPipeline, streamsWhenTooLong: boolean) {
    this.#pipeline = pipeline;
    this.#streamsWhenTooLong = streamsWhenTooLong;
  }

  /** Takes ownership of the chunk. If it returns a promise, the caller waits for it before reading on. */
  take(from: 'stdout' | 'stderr', chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    const tooLong = from === 'stdout' && !this.#collected.hasRoomForStdout(chunk.length);
    if (tooLong && this.#streamsWhenTooLong) this.#released ??= this.#flush();
    if (this.#released !== undefined) return this.#released.then(() => this.#pipeline.push(chunk));
    this.#collected.add(from, chunk);
    return undefined;
  }

  /** Undefined if stdout was too long. */
  stdout(): Uint8Array<ArrayBuffer> | undefined {
    return this.#released === undefined ? this.#collected.stdout() : undefined;
  }

  /** Sends the buffered output to the sink, unless that has happened. */
  release(): Promise<void> {
    this.#released ??= this.#flush();
    return this.#released;
  }

  async #flush(): Promise<void> {
    for (const piece of this.#collected.merged()) await this.#pipeline.push(piece);
  }
}

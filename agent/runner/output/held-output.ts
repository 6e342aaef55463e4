import { LIMITS } from '@svc/core/plan/limits';
import { CollectingSink } from './collected.ts';
import type { OutputPipeline } from './outlet.ts';

/**
 * Output that waits for the verdict on its command's transform. Where a failed transform gives the output anyway, stdout
 * that is too long for a transform has settled the question: from there on everything streams.
 */
export class RetainedOutput {
  readonly #outlet: OutputPipeline;
  readonly #streamsWhenTooLong: boolean;
  readonly #collected = new CollectingSink({
    stdout: LIMITS.transformInputBytes,
    stderr: LIMITS.bufferedOutputBytes,
  });
  #released: Promise<void> | undefined;

  constructor(outlet: OutputPipeline, streamsWhenTooLong: boolean) {
    this.#outlet = outlet;
    this.#streamsWhenTooLong = streamsWhenTooLong;
  }

  /** The chunk is given away. A returned promise: the stream is not to be read further before it settles. */
  take(from: 'stdout' | 'stderr', chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    const tooLong = from === 'stdout' && !this.#collected.hasRoomForStdout(chunk.length);
    if (tooLong && this.#streamsWhenTooLong) this.#released ??= this.#pour();
    if (this.#released !== undefined) return this.#released.then(() => this.#outlet.push(chunk));
    this.#collected.add(from, chunk);
    return undefined;
  }

  /** Undefined when it was too long. */
  stdout(): Uint8Array<ArrayBuffer> | undefined {
    return this.#released === undefined ? this.#collected.stdout() : undefined;
  }

  /** Gives what was held to the sink, unless that has happened. */
  release(): Promise<void> {
    this.#released ??= this.#pour();
    return this.#released;
  }

  async #pour(): Promise<void> {
    for (const piece of this.#collected.merged()) await this.#outlet.push(piece);
  }
}

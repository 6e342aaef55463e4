import type { EndingRun } from '@svc/core/execution/frame';
import type { OutputSink } from '../runner.ts';

/** One piece of output for a sink. */
export interface QueuedOutput {
  readonly bytes: Uint8Array;
  readonly endings?: readonly EndingRun[];
}

/**
 * Writes to a sink piece by piece, each after the sink has taken the previous one. Calls `taken` for each.
 *
 * A sink that throws gets nothing more. Its error is kept for the end: the command does not stop because its reader did
 * (decision 21, callers that leave, and slow readers).
 */
export class SinkQueue {
  readonly #sink: OutputSink;
  readonly #taken: (bytes: Uint8Array) => void;
  readonly #waiting: QueuedOutput[] = [];
  #emptied: PromiseWithResolvers<void> | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(sink: OutputSink, taken: (bytes: Uint8Array) => void) {
    this.#sink = sink;
    this.#taken = taken;
  }

  push(piece: QueuedOutput): void {
    if (this.#emptied !== undefined) {
      this.#waiting.push(piece);
      return;
    }
    const pending = this.#write(piece);
    if (pending !== undefined) void this.#drain(pending, piece);
    else this.#taken(piece.bytes);
  }

  /** Resolves when the sink has taken everything; rejects with the error of the sink. */
  async end(): Promise<void> {
    await this.#emptied?.promise;
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  async #drain(pending: Promise<void>, first: QueuedOutput): Promise<void> {
    this.#emptied = Promise.withResolvers<void>();
    await pending;
    this.#taken(first.bytes);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#write(next);
      this.#taken(next.bytes);
    }
    const emptied = this.#emptied;
    this.#emptied = undefined;
    emptied.resolve();
  }

  /** Never throws or rejects. */
  #write({ bytes, endings }: QueuedOutput): Promise<void> | undefined {
    if (this.#failure !== undefined) return undefined;
    try {
      return this.#sink.write(bytes, endings)?.catch((cause: unknown) => {
        this.#failure ??= { cause };
      });
    } catch (cause) {
      this.#failure = { cause };
      return undefined;
    }
  }
}

import type { EncodedOutput, EndingRun } from '@svc/core/execution/frame';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { splitFrame } from '@svc/core/execution/split-frame';
import type { Launch } from '../runner.ts';
import { OutputBatch } from './batch.ts';
import type { OutputLink } from './link.ts';

/** The output pipeline from the pipe to the sink: joins small chunks and encodes them as the launch requires. */
export class OutputPipeline {
  readonly #link: OutputLink;
  readonly #launch: Pick<Launch, 'output' | 'frameBytes'>;
  readonly #encoder: OutputEncoder | undefined;
  readonly #batch: OutputBatch;
  #isEnding = false;

  constructor(launch: Pick<Launch, 'output' | 'frameBytes' | 'step'>, link: OutputLink) {
    this.#link = link;
    this.#launch = launch;
    this.#encoder =
      launch.output === 'raw'
        ? undefined
        : new OutputEncoder(launch.step === undefined ? {} : { step: launch.step });
    this.#batch = new OutputBatch((bytes) => this.#send(bytes), {
      isDoneWithBytes: this.#encoder !== undefined,
    });
  }

  /** Whether the next output is the last: it then waits for the ending and shares its message. */
  expectsEnd(expects: boolean): void {
    this.#batch.joins(expects);
  }

  /** Takes ownership of the chunk. If it returns a promise, the caller waits for it before the next push. */
  push(chunk: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.#batch.push(chunk);
    return this.#link.ready();
  }

  end(): void {
    this.#isEnding = true;
    this.#batch.flush();
    this.#sendFrame(this.#encoder?.end());
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#encoder === undefined) this.#pass(bytes);
    else this.#sendFrame(this.#encoder.push(bytes));
  }

  #sendFrame(frame: EncodedOutput | undefined): void {
    if (frame === undefined) return;
    if (this.#launch.output === 'events') {
      this.#pass(frame.sse);
      return;
    }
    for (const { sse, endings } of splitFrame(frame, this.#launch.frameBytes ?? Number.POSITIVE_INFINITY)) {
      this.#pass(sse, endings);
    }
  }

  #pass(bytes: Uint8Array, endings?: readonly EndingRun[]): void {
    if (this.#isEnding) this.#link.sendLast(bytes, endings);
    else this.#link.send(bytes, endings);
  }
}

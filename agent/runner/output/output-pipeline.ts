import type { EncodedOutput, EndingRun } from '@svc/core/execution/frame';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { RawEncoder } from '@svc/core/execution/raw-encoder';
import { splitFrame } from '@svc/core/execution/split-frame';
import type { Launch } from '../runner.ts';
import { OutputBatch } from './batch.ts';
import type { OutputLink } from './link.ts';

type Encoded = Pick<Launch, 'output' | 'frameBytes' | 'step'>;

/** The output pipeline from the pipe to the sink: joins small chunks and encodes them as the launch requires. */
export class OutputPipeline {
  readonly #link: OutputLink;
  readonly #launch: Encoded;
  readonly #encoder: OutputEncoder | RawEncoder | undefined;
  readonly #batch: OutputBatch;
  #isEnding = false;

  /** @param content what the pipe carries: `text`, the lines of a separate `stderr`, or `raw` stdout */
  constructor(launch: Encoded, link: OutputLink, content: 'text' | 'stderr' | 'raw' = 'text') {
    this.#link = link;
    this.#launch = launch;
    this.#encoder = launch.output === 'raw' ? undefined : encoderOf(launch, content);
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

  /** Sends what waits for more, because another stream comes next. */
  flush(): void {
    this.#batch.flush();
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

function encoderOf({ step }: Encoded, content: 'text' | 'stderr' | 'raw'): OutputEncoder | RawEncoder {
  if (content === 'raw') return new RawEncoder(step);
  return new OutputEncoder({
    ...(step === undefined ? {} : { step }),
    ...(content === 'stderr' ? { stream: content } : {}),
  });
}

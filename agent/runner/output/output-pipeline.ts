import type { EncodedOutput, EndingRun } from '@svc/core/execution/frame';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { RawEncoder } from '@svc/core/execution/raw-encoder';
import { splitFrame } from '@svc/core/execution/split-frame';
import type { Launch } from '../runner.ts';
import type { OutputLink } from './link.ts';

const FULL_BYTES = 64 * 1024;
/** The buffer has room for a whole chunk beyond the limit. */
const ROOM_BYTES = 2 * FULL_BYTES;
const PAUSE_MS = 2;

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

interface BatchOptions {
  /** The receiver does not use the bytes after `send` returns, so one buffer serves all joined chunks. */
  readonly isDoneWithBytes?: boolean;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/**
 * Joins small writes: the first bytes after a pause are sent at once, those that follow within two milliseconds are sent
 * together. A message costs far more than a byte, but a single line must not wait.
 */
export class OutputBatch {
  readonly #send: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #isDoneWithBytes: boolean;
  readonly #nowMs: () => number;
  #room: Uint8Array<ArrayBuffer> | undefined;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #joinsAll = false;

  constructor(
    send: (bytes: Uint8Array<ArrayBuffer>) => void,
    { isDoneWithBytes = false, nowMs = () => performance.now() }: BatchOptions = {},
  ) {
    this.#send = send;
    this.#isDoneWithBytes = isDoneWithBytes;
    this.#nowMs = nowMs;
  }

  /** Whether all chunks are joined until the buffer is full or flushed. */
  joins(all: boolean): void {
    this.#joinsAll = all;
  }

  /** Takes ownership of the chunk. */
  push(chunk: Uint8Array<ArrayBuffer>): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#joinsAll && this.#bytes < FULL_BYTES) return;
    const dueInMs = this.#sentAtMs + PAUSE_MS - this.#nowMs();
    if (dueInMs <= 0 || this.#bytes >= FULL_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), Math.ceil(dueInMs));
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0) return;
    const bytes = this.#joined();
    this.#chunks = [];
    this.#bytes = 0;
    this.#sentAtMs = this.#nowMs();
    this.#send(bytes);
  }

  #joined(): Uint8Array<ArrayBuffer> {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only;
    const joined = this.#roomFor(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }

  #roomFor(bytes: number): Uint8Array<ArrayBuffer> {
    if (!this.#isDoneWithBytes || bytes > ROOM_BYTES) return new Uint8Array(bytes);
    this.#room ??= new Uint8Array(ROOM_BYTES);
    return this.#room.subarray(0, bytes);
  }
}

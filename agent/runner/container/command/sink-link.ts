import type { EndingRun } from '@svc/core/execution/frame';
import { encodeTransformed } from '@svc/core/execution/sse';
import type { OutputLink } from '../../output/link.ts';
import { SinkQueue } from '../../output/sink-queue.ts';
import { type Transforms, transformResult } from '../../output/transform-result.ts';
import { costOf, WINDOW_BYTES, Window } from '../../output/window.ts';
import type { Launch, OutputSink, Transformed } from '../../runner.ts';

/** Connects a command with its sink on the same thread. */
export class SinkLink implements OutputLink {
  readonly #launch: Launch;
  readonly #transforms: Transforms;
  readonly #window = new Window(WINDOW_BYTES);
  readonly #queue: SinkQueue;
  #transformed: Transformed = { kind: 'skipped' };

  constructor(launch: Launch, sink: OutputSink, transforms: Transforms) {
    this.#launch = launch;
    this.#transforms = transforms;
    this.#queue = new SinkQueue(sink, (bytes) => this.#window.release(costOf(bytes)));
  }

  send(bytes: Uint8Array, endings?: readonly EndingRun[]): void {
    this.#window.take(costOf(bytes));
    this.#queue.push(endings === undefined ? { bytes } : { bytes, endings });
  }

  sendLast(bytes: Uint8Array, endings?: readonly EndingRun[]): void {
    this.send(bytes, endings);
  }

  ready(): Promise<void> | undefined {
    return this.#window.open();
  }

  async transform(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean> {
    const { transform, output, step } = this.#launch;
    if (transform === undefined) throw new Error('a command without a transform was sent to be transformed');
    this.#transformed = await transformResult(this.#transforms, transform, stdout);
    if (this.#transformed.kind === 'data' && output === 'events') {
      this.send(new TextEncoder().encode(encodeTransformed(this.#transformed.json, step)));
    }
    return this.#transformed.kind === 'skipped';
  }

  /** The transform result of a command that has a transform and exited. */
  get transformed(): Transformed {
    return this.#transformed;
  }

  /** Resolves when the sink has taken everything; rejects with the error of the sink. */
  drained(): Promise<void> {
    return this.#queue.end();
  }
}

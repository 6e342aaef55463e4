import { releaseMemory } from '@svc/core/execution/release-memory';
import { encodeTransformed } from '@svc/core/execution/sse';
import { SinkQueue } from '../../output/sink-queue.ts';
import { type Transforms, transformResult } from '../../output/transform-result.ts';
import { costOf, WINDOW_BYTES } from '../../output/window.ts';
import type { CommandInput, Ending, Launch, OutputSink, RunningCommand, Transformed } from '../../runner.ts';
import type { Order, WorkerReport } from '../protocol.ts';

/** Credit is returned in portions, not for each message. */
const CREDIT_PORTION_BYTES = WINDOW_BYTES / 4;

/** The connection to the Worker that supervises a command, and the command's id there. */
export interface Channel {
  readonly id: number;
  order(order: Order): void;
  /** Sends a piece of the input. */
  input(bytes: Uint8Array): void;
}

/** What a runner gets for one command. */
export interface CommandParts {
  readonly launch: Launch;
  readonly sink: OutputSink;
  readonly input: CommandInput | undefined;
}

/** The main thread's end of a command that a Worker supervises. */
export class RoutedCommand implements RunningCommand {
  readonly ended: Promise<Ending>;
  readonly launch: Launch;
  readonly #channel: Channel;
  readonly #transforms: Transforms;
  readonly #input: CommandInput | undefined;
  readonly #queue: SinkQueue;
  readonly #finish: (ending: Ending | PromiseLike<Ending>) => void;
  #transformed: Transformed = { kind: 'skipped' };
  #creditBytes = 0;
  #isOver = false;

  constructor({ launch, sink, input }: CommandParts, channel: Channel, transforms: Transforms) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.launch = launch;
    this.#finish = resolve;
    this.#channel = channel;
    this.#transforms = transforms;
    this.#queue = new SinkQueue(sink, (bytes) => this.#taken(bytes));
    this.#input = input;
  }

  cancel(): void {
    this.#channel.order({ kind: 'cancel', id: this.#channel.id });
  }

  receive(report: WorkerReport): void {
    switch (report.kind) {
      case 'output':
        this.#queue.push(report);
        break;
      case 'input_taken':
        this.feed();
        break;
      case 'transform':
        void this.#transform(report.stdout);
        break;
      case 'ended':
        if (report.last !== undefined) this.#queue.push(report.last);
        this.end(this.#withTransform(report.ending));
        break;
    }
  }

  /** Resolves `ended` as soon as the sink has taken all output. */
  end(ending: Ending): void {
    if (!this.#isOver) this.#input?.close();
    this.#isOver = true;
    this.#finish(this.#queue.end().then(() => ending));
  }

  /** Sends the next piece of the input. Called at the start, and when the command has taken the piece before. */
  feed(): void {
    void this.#input?.next().then((piece) => {
      if (this.#isOver) return;
      if (piece.kind === 'bytes') this.#channel.input(piece.bytes);
      else this.#channel.order({ kind: 'input', id: this.#channel.id, piece });
    });
  }

  async #transform(stdout: Uint8Array | undefined): Promise<void> {
    const { transform } = this.launch;
    if (transform === undefined) throw new Error('a command without a transform was sent to be transformed');
    this.#transformed = await transformResult(this.#transforms, transform, stdout);
    if (this.#transformed.kind === 'data' && this.launch.output === 'events') {
      this.#queue.push({ bytes: new TextEncoder().encode(encodeTransformed(this.#transformed.json)) });
    }
    const givesOutput = this.#transformed.kind === 'skipped';
    this.#channel.order({ kind: 'transformed', id: this.#channel.id, givesOutput });
  }

  #withTransform(ending: Ending): Ending {
    if (ending.kind !== 'exited' || this.launch.transform === undefined) return ending;
    return { ...ending, transformed: this.#transformed };
  }

  /** Bytes from another thread have no other owner. */
  #taken(bytes: Uint8Array): void {
    this.#creditBytes += costOf(bytes);
    releaseMemory(bytes);
    if (this.#creditBytes < CREDIT_PORTION_BYTES) return;
    this.#channel.order({ kind: 'credit', id: this.#channel.id, bytes: this.#creditBytes });
    this.#creditBytes = 0;
  }
}

import { releaseMemory } from '@svc/core/execution/release-memory';
import { encodeTransformed } from '@svc/core/execution/sse';
import type { Shortage } from '@svc/core/shortage';
import { SinkQueue } from '../../output/sink-queue.ts';
import { type Transforms, transformResult } from '../../output/transform-result.ts';
import { costOf, WINDOW_BYTES } from '../../output/window.ts';
import type {
  CommandInput,
  Ending,
  InputPiece,
  Launch,
  OutputSink,
  Runner,
  RunningCommand,
  Transformed,
} from '../../runner.ts';
import type { StopGraces } from '../../stopping.ts';
import { sweepExecution } from '../end/sweep.ts';
import {
  type InputOrder,
  type Order,
  readEnded,
  type WorkerMessage,
  type WorkerReport,
  type WrittenLaunch,
} from '../protocol.ts';

/** While the command reads one piece, the thread has the next. */
const PIECES_AHEAD = 2;

interface SpawnWorkerOptions {
  readonly graces: StopGraces;
  readonly transforms: Transforms;
  readonly startWorker: () => Worker;
  /** Called for each command that a shortage of this machine kept from running. */
  readonly onShortage: (shortage: Shortage) => void;
  /** Called if the Worker ended unexpectedly. */
  readonly onDeath: (worker: SpawnWorker, error: Error) => void;
}

export interface WorkerPoolOptions extends Omit<SpawnWorkerOptions, 'onDeath'> {
  readonly workers: number;
  readonly onWorkerDeath: (error: Error) => void;
}

/**
 * Spawns on all cores, because one event loop that spawns and serves limits a machine with only two cores. A command goes
 * to the Worker with the fewest commands; another Worker starts when all are busy.
 */
export class WorkerPool implements Runner {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<SpawnWorker>();
  #closed = false;

  /** Starts one Worker at once, so that it is ready for the first command. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#add();
  }

  start(launch: Launch, sink: OutputSink, input?: CommandInput): RunningCommand {
    if (this.#closed) throw new Error('this runner has been disposed of');
    return this.#leastBusy().start(launch, sink, input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  #leastBusy(): SpawnWorker {
    let least: SpawnWorker | undefined;
    for (const worker of this.#workers) if (least === undefined || worker.load < least.load) least = worker;
    if (least === undefined || (least.load > 0 && this.#workers.size < this.#options.workers))
      return this.#add();
    return least;
  }

  #add(): SpawnWorker {
    const worker = new SpawnWorker({
      ...this.#options,
      onDeath: (dead, error) => {
        this.#workers.delete(dead);
        this.#options.onWorkerDeath(error);
      },
    });
    this.#workers.add(worker);
    return worker;
  }
}

/** One Worker and the commands that it supervises. */
class SpawnWorker {
  readonly #options: SpawnWorkerOptions;
  readonly #worker: Worker;
  readonly #launches = new LaunchWriter();
  readonly #commands = new Map<number, RoutedCommand>();
  #lastId = 0;
  #error = new Error('a spawning thread exited');
  #closed = false;

  constructor(options: SpawnWorkerOptions) {
    this.#options = options;
    this.#worker = options.startWorker();
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) =>
      this.#receive(typeof data === 'string' ? readEnded(data) : data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#error = new Error('a spawning thread died', { cause: event.error ?? event.message });
    };
    this.#worker.addEventListener('close', () => this.#stopped());
  }

  /** The number of its commands. */
  get load(): number {
    return this.#commands.size;
  }

  start(launch: Launch, sink: OutputSink, input?: CommandInput): RunningCommand {
    const id = ++this.#lastId;
    const { graces, transforms } = this.#options;
    const order = (it: Order) => this.#worker.postMessage(JSON.stringify(it));
    const send = ({ bytes: given, isSoleUser }: InputBytes) => {
      // A transfer moves the whole buffer, so a view on a shared buffer is copied.
      const { buffer, byteOffset, length } = given;
      const bytes =
        isSoleUser && buffer instanceof ArrayBuffer
          ? new Uint8Array(buffer, byteOffset, length)
          : new Uint8Array(given);
      this.#worker.postMessage({ id, bytes } satisfies InputOrder, [bytes.buffer]);
    };
    const command = new RoutedCommand({ launch, sink, input }, { id, order, input: send }, transforms);
    this.#commands.set(id, command);
    order({ kind: 'start', id, launch: this.#launches.write(launch), graces });
    command.feed();
    return command;
  }

  /** Ends running commands, waits for them, and ends the thread. */
  async close(): Promise<void> {
    const commands = [...this.#commands.values()];
    for (const command of commands) command.cancel();
    await Promise.allSettled(commands.map((command) => command.ended));
    this.#closed = true;
    this.#worker.terminate();
  }

  #receive(report: WorkerReport): void {
    const command = this.#commands.get(report.id);
    if (command === undefined) throw new Error(`a report on command ${report.id}, which has ended`);
    if (report.kind === 'ended') {
      this.#commands.delete(report.id);
      const { ending } = report;
      if ('shortage' in ending && ending.shortage !== undefined) this.#options.onShortage(ending.shortage);
    }
    command.receive(report);
  }

  #stopped(): void {
    if (this.#closed) return;
    this.#options.onDeath(this, this.#error);
    for (const command of this.#commands.values()) void endUnwatched(command);
    this.#commands.clear();
  }
}

/** Kills the command, because nothing would end it at its timeout. */
async function endUnwatched(command: RoutedCommand): Promise<void> {
  await sweepExecution(command.launch.executionId);
  command.end({ kind: 'lost', message: 'the part of the runner that watched the command died' });
}

/** Writes launches for one Worker. Each inherited environment is sent once. */
class LaunchWriter {
  readonly #numbers = new WeakMap<Launch['inherited'], number>();
  #count = 0;

  write({ inherited, ...launch }: Launch): WrittenLaunch {
    const known = this.#numbers.get(inherited);
    if (known !== undefined) return { launch, inherited: known };
    const number = this.#count++;
    this.#numbers.set(inherited, number);
    return { launch, inherited: number, newInherited: inherited };
  }
}

/** Credit is returned in portions, not for each message. */
const CREDIT_PORTION_BYTES = WINDOW_BYTES / 4;

/** The connection to the Worker that supervises a command, and the command's id there. */
interface Channel {
  readonly id: number;
  order(order: Order): void;
  /** Sends a piece of the input. */
  input(piece: InputBytes): void;
}

type InputBytes = Extract<InputPiece, { kind: 'bytes' }>;

/** What a runner gets for one command. */
interface CommandParts {
  readonly launch: Launch;
  readonly sink: OutputSink;
  readonly input: CommandInput | undefined;
}

/** The main thread's end of a command that a Worker supervises. */
class RoutedCommand implements RunningCommand {
  readonly ended: Promise<Ending>;
  readonly launch: Launch;
  readonly #channel: Channel;
  readonly #transforms: Transforms;
  readonly #input: CommandInput | undefined;
  readonly #queue: SinkQueue;
  readonly #finish: (ending: Ending | PromiseLike<Ending>) => void;
  #transformed: Transformed = { kind: 'skipped' };
  #creditBytes = 0;
  /** The pieces of the input that the thread has and the command has not taken. */
  #ahead = 0;
  #isFeeding = false;
  /** The thread has the end of the input, or the reason why it does not come. */
  #isInputOver = false;
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
    // A command that does not read is ended, too.
    void input?.cutOff.then((cut) => this.#endInput({ kind: 'cut', ...cut }));
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
        this.#ahead -= 1;
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

  /** Sends pieces of the input. Called at the start, and when the command has taken one. */
  feed(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    void this.#feed();
  }

  async #feed(): Promise<void> {
    while (this.#input !== undefined && this.#ahead < PIECES_AHEAD && !this.#isInputOver) {
      const piece = await this.#input.next();
      if (piece.kind !== 'bytes') this.#endInput(piece);
      if (this.#isOver || this.#isInputOver || piece.kind !== 'bytes') return;
      this.#ahead += 1;
      this.#channel.input(piece);
    }
    this.#isFeeding = false;
  }

  /** Nothing is asked for afterwards. */
  #endInput(piece: Exclude<InputPiece, { kind: 'bytes' }>): void {
    if (this.#isOver || this.#isInputOver) return;
    this.#isInputOver = true;
    this.#channel.order({ kind: 'input', id: this.#channel.id, piece });
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

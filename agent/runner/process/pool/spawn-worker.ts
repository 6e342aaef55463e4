import type { Shortage } from '@svc/core/shortage';
import type { Transforms } from '../../output/transform-result.ts';
import type { Launch, OutputSink, RunningCommand } from '../../runner.ts';
import type { StopGraces } from '../../stopping.ts';
import { sweepExecution } from '../end/sweep.ts';
import { type Order, readEnded, type WorkerMessage, type WorkerReport } from '../protocol.ts';
import { LaunchWriter } from '../written-launch.ts';
import { RoutedCommand } from './routed-command.ts';

export interface SpawnWorkerOptions {
  readonly graces: StopGraces;
  readonly transforms: Transforms;
  readonly startWorker: () => Worker;
  /** Called for each command that a shortage of this machine kept from running. */
  readonly onShortage: (shortage: Shortage) => void;
  /** Called if the Worker ended unexpectedly. */
  readonly onDeath: (worker: SpawnWorker, error: Error) => void;
}

/** One Worker and the commands that it supervises. */
export class SpawnWorker {
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

  start(launch: Launch, sink: OutputSink): RunningCommand {
    const id = ++this.#lastId;
    const { graces, transforms } = this.#options;
    const order = (it: Order) => this.#worker.postMessage(JSON.stringify(it));
    const command = new RoutedCommand(launch, sink, { id, order }, transforms);
    this.#commands.set(id, command);
    order({ kind: 'start', id, launch: this.#launches.write(launch), graces });
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

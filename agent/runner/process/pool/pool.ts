import type { Launch, OutputSink, Runner, RunningCommand } from '../../runner.ts';
import { SpawnWorker, type SpawnWorkerOptions } from './spawn-worker.ts';

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

  start(launch: Launch, sink: OutputSink): RunningCommand {
    if (this.#closed) throw new Error('this runner has been disposed of');
    return this.#leastBusy().start(launch, sink);
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

import type { Launch, OutputSink, Runner, RunningCommand } from '../../runner.ts';
import { SpawnWorker, type SpawnWorkerOptions } from './spawn-worker.ts';

export interface WorkerPoolOptions extends Omit<SpawnWorkerOptions, 'onDeath'> {
  readonly workers: number;
  readonly onWorkerDeath: (error: Error) => void;
}

/**
 * Spawns on all cores: one event loop that spawns and serves is the ceiling of a machine with two already. A command goes
 * to the Worker that has the fewest; another Worker starts when all there are have something to do.
 */
export class WorkerPool implements Runner {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<SpawnWorker>();
  #closed = false;

  /** One Worker starts at once, so that the first command finds it ready. */
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

import { availableParallelism } from 'node:os';
import type { Transform } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import type { TransformJob, TransformResult } from './transform-output.ts';
import { WorkerProcess } from './worker-process.ts';

export interface TransformerOptions {
  /** The number of transforms that run at once; others wait. Default: one per core, within bounds. */
  readonly workers?: number;
  readonly timeoutMs?: number;
  /** How long an idle worker process is kept. */
  readonly idleMs?: number;
}

/**
 * At least two, so that one that hangs does not block all others; each can use as much memory as worker-process.ts allows.
 */
const MIN_WORKERS = 2;
const MAX_WORKERS = 8;

/**
 * Turns stdout into data (decision 27, the transformer) in worker processes, which are started on demand and killed if a
 * transform takes too long.
 */
export class Transformer implements AsyncDisposable {
  readonly #workers: number;
  readonly #timeoutMs: number;
  readonly #idleMs: number;
  readonly #queue: (() => void)[] = [];
  readonly #busy = new Set<WorkerProcess>();
  readonly #resting: WorkerProcess[] = [];
  #running = 0;
  #disposed = false;

  constructor(options: TransformerOptions = {}) {
    this.#workers = options.workers ?? Math.min(MAX_WORKERS, Math.max(MIN_WORKERS, availableParallelism()));
    this.#timeoutMs = options.timeoutMs ?? LIMITS.transformMs;
    this.#idleMs = options.idleMs ?? 10_000;
  }

  /** Never rejects: every failure is a reason. The time limit starts when the transform starts. */
  async run(transform: Transform, stdout: Uint8Array): Promise<TransformResult> {
    if (stdout.length > LIMITS.transformInputBytes) return { kind: 'failed', reason: TOO_LONG };
    if (this.#running < this.#workers) this.#running += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await this.#runNow({ transform, stdout });
    } finally {
      this.#passTurn();
    }
  }

  /** Ends all worker processes; transforms that run or wait fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await Promise.all([...this.#busy, ...this.#resting].map((worker) => worker.stop()));
  }

  async #runNow(job: TransformJob): Promise<TransformResult> {
    if (this.#disposed) return { kind: 'failed', reason: 'the agent stops' };
    const worker = this.#freshest() ?? startWorker();
    if (!(worker instanceof WorkerProcess)) return worker;
    this.#busy.add(worker);
    const result = await worker.run(job, this.#timeoutMs);
    await this.#keepOrStop(worker);
    this.#busy.delete(worker);
    return result;
  }

  /** Reuses the worker that was busy last, so that the others expire. */
  #freshest(): WorkerProcess | undefined {
    let worker = this.#resting.pop();
    while (worker !== undefined && !worker.takesJobs) worker = this.#resting.pop();
    return worker;
  }

  async #keepOrStop(worker: WorkerProcess): Promise<void> {
    if (this.#disposed || !worker.takesJobs) return worker.stop();
    worker.keepIdle(this.#idleMs);
    this.#resting.push(worker);
  }

  /** Passes the slot to the transform that has waited longest, if any. */
  #passTurn(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

const TOO_LONG = `the output is longer than ${LIMITS.transformInputBytes / 1024 ** 2} MiB`;

function startWorker(): WorkerProcess | TransformResult {
  try {
    return new WorkerProcess();
  } catch (error) {
    return { kind: 'failed', reason: `its process could not start: ${(error as Error).message}` };
  }
}

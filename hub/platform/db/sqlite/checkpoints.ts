import type { CheckpointOptions, CheckpointReport, ToCheckpointThread } from './checkpoint-worker.ts';
import { workerUrl } from './worker-url.ts';

/** The size of the log at which it is copied into the file. */
const STEP_PAGES = 4_000;
/** The number of pages that the writing thread copies itself, within milliseconds; only it can then restart the log. */
const FEW_PAGES = 250;
/** How often a checkpoint is repeated because the log has grown meanwhile. */
const PASSES = 8;

export interface CheckpointsOptions extends CheckpointOptions {
  /** Called with the first failure, and again after a checkpoint has succeeded in between. */
  readonly onFailure: (reason: string) => void;
}

interface Thread {
  readonly worker: Worker;
  answer: PromiseWithResolvers<CheckpointReport> | undefined;
}

/**
 * Copies the log into the file on a thread of its own. The thread that writes would do it within a commit: after a backup, which
 * keeps the log from being copied, that commit would take a second (decision 62, reads apart from calls).
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #thread: Thread | undefined;
  #underWay: Promise<void> | undefined;
  #nextAtPages = STEP_PAGES;
  #lastPages = 0;
  #isWritersTurn = false;
  #failures = 0;
  #isFailing = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Checkpoints that failed since the start. */
  get failures(): number {
    return this.#failures;
  }

  /** Called after some commits: the length of the log. */
  onLog(pages: number): void {
    // The log was restarted.
    if (pages < this.#lastPages) this.#nextAtPages = STEP_PAGES;
    this.#lastPages = pages;
    if (pages < this.#nextAtPages || this.#underWay !== undefined) return;
    this.#nextAtPages = pages + STEP_PAGES;
    this.#underWay = this.#run().finally(() => {
      this.#underWay = undefined;
    });
  }

  /** True once when the writing thread should copy the few remaining pages. */
  takeTurn(): boolean {
    const isTurn = this.#isWritersTurn;
    this.#isWritersTurn = false;
    return isTurn;
  }

  /** Resolves when the file is closed; the next checkpoint opens it again. */
  async close(): Promise<void> {
    await this.#underWay;
    if (this.#thread !== undefined) await this.#ask('close');
  }

  async end(): Promise<void> {
    await this.close();
    this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  async #run(): Promise<void> {
    for (let pass = 0; pass < PASSES; pass += 1) {
      const { left, failure } = await this.#ask('checkpoint');
      this.#note(failure);
      // The writing thread tries too, because the failure may concern the other thread alone.
      this.#isWritersTurn = failure !== undefined || left <= FEW_PAGES;
      if (this.#isWritersTurn) return;
    }
  }

  #note(failure: string | undefined): void {
    if (failure !== undefined) {
      this.#failures += 1;
      if (!this.#isFailing) this.#options.onFailure(failure);
    }
    this.#isFailing = failure !== undefined;
  }

  #ask(message: ToCheckpointThread): Promise<CheckpointReport> {
    this.#thread ??= this.#start();
    const answer = Promise.withResolvers<CheckpointReport>();
    this.#thread.answer = answer;
    this.#thread.worker.postMessage(message);
    return answer.promise;
  }

  #start(): Thread {
    const worker = new Worker(workerUrl('hub/platform/db/sqlite/checkpoint-worker.ts'));
    const thread: Thread = { worker, answer: undefined };
    worker.onmessage = ({ data }: MessageEvent<CheckpointReport>) => thread.answer?.resolve(data);
    worker.onerror = (event) => event.preventDefault();
    worker.addEventListener('close', () => {
      if (this.#thread === thread) this.#thread = undefined;
      thread.answer?.resolve({ left: 0, failure: 'the thread died' });
    });
    const { file, busyTimeoutMs } = this.#options;
    worker.postMessage({ file, busyTimeoutMs } satisfies ToCheckpointThread);
    return thread;
  }
}

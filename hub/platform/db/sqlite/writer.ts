import { unavailable } from '../unavailable.ts';
import type { Transaction } from '../unit/group-commit.ts';
import type { Outcome, UnitOfWork } from '../unit/statement.ts';
import type { Checkpoints } from './checkpoints.ts';
import { BatchWriter, type Report, type UnitReport } from './protocol.ts';
import { workerUrl } from './worker-url.ts';
import type { FromWriter, ToWriter, WriterOptions } from './writer-worker.ts';

export interface SqliteWriterOptions extends WriterOptions {
  /** The thread may have opened an older file, or may be in a broken state. */
  readonly closeReaders: () => Promise<void>;
  /** The thread died because of a bug or for lack of memory. */
  readonly onDeath: (error: Error) => void;
  readonly startWorker?: () => Worker;
  readonly checkpoints: Pick<Checkpoints, 'onLog' | 'takeTurn'>;
}

interface Thread {
  readonly worker: Worker;
  readonly batches: BatchWriter;
  answer: PromiseWithResolvers<FromWriter> | undefined;
}

/** The main thread's end of the only thread that writes. A dead thread is replaced with the next batch. */
export class SqliteWriter implements Transaction {
  readonly #options: SqliteWriterOptions;
  #thread: Thread | undefined;

  constructor(options: SqliteWriterOptions) {
    this.#options = options;
    this.#thread = this.#start();
  }

  async commitAll(units: readonly UnitOfWork[]): Promise<readonly Outcome[]> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    let report = await this.#send(thread, units);
    if (report.kind === 'outside' && !report.isBusy) {
      // Connections opened while the disk was read-only stay read-only in this process until all of them are closed.
      await this.#options.closeReaders();
      report = await this.#send(thread, units);
    }
    if (report.kind === 'outside') throw unavailable('write', report.reason);
    if (report.logPages !== undefined) this.#options.checkpoints.onLog(report.logPages);
    if (report.reopened) await this.#options.closeReaders();
    return report.units.map(outcomeOf);
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    await this.#ask(thread, 'close');
    this.#thread = undefined;
    thread.worker.terminate();
  }

  async #send(thread: Thread, units: readonly UnitOfWork[]): Promise<Report> {
    return JSON.parse(
      await this.#ask(thread, {
        ...thread.batches.write(units),
        checkpoint: this.#options.checkpoints.takeTurn(),
      }),
    ) as Report;
  }

  #ask(thread: Thread, message: ToWriter): Promise<FromWriter> {
    thread.answer = Promise.withResolvers<FromWriter>();
    thread.worker.postMessage(message);
    return thread.answer.promise;
  }

  #start(): Thread {
    const { file, busyTimeoutMs, startWorker = startWriterWorker } = this.#options;
    const thread: Thread = { worker: startWorker(), batches: new BatchWriter(), answer: undefined };
    let cause: unknown;
    thread.worker.onmessage = ({ data }: MessageEvent<FromWriter>) => thread.answer?.resolve(data);
    thread.worker.onerror = (event) => {
      event.preventDefault();
      cause = event.error ?? event.message;
    };
    thread.worker.addEventListener('close', () => this.#died(thread, cause));
    thread.worker.postMessage({ file, busyTimeoutMs } satisfies ToWriter);
    return thread;
  }

  #died(thread: Thread, cause: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#options.onDeath(new Error('the thread that writes died', { cause }));
    // The thread may have died between its commit and the answer.
    thread.answer?.reject(unavailable('write', 'the thread that writes died', true));
  }
}

function startWriterWorker(): Worker {
  return new Worker(workerUrl('hub/platform/db/sqlite/writer-worker.ts'));
}

function outcomeOf(report: UnitReport): Outcome {
  if (report === true) return { kind: 'stored' };
  if (typeof report === 'string') return { kind: 'refused', tag: report };
  return { kind: 'failed', error: new Error(report.failure) };
}

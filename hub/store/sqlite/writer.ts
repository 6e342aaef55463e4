import { unavailable } from '../unavailable.ts';
import type { Transaction } from '../unit/group-commit.ts';
import type { Outcome, Unit } from '../unit/statement.ts';
import { type Report, TextNumbers, type UnitReport } from './protocol.ts';
import { workerUrl } from './worker-url.ts';
import type { FromWriter, ToWriter, WriterOptions } from './writer-worker.ts';

export interface SqliteWriterOptions extends WriterOptions {
  /** The file is another one than before: what was opened earlier shows the old one. */
  readonly onReopened: () => void;
  readonly startWorker?: () => Worker;
}

interface Thread {
  readonly worker: Worker;
  readonly numbers: TextNumbers;
  answer: PromiseWithResolvers<FromWriter> | undefined;
}

/** The main thread's end of the one thread that writes. One that died is replaced with the next batch. */
export class SqliteWriter implements Transaction {
  readonly #options: SqliteWriterOptions;
  #thread: Thread | undefined;

  constructor(options: SqliteWriterOptions) {
    this.#options = options;
    this.#thread = this.#start();
  }

  async commitAll(units: readonly Unit[]): Promise<readonly Outcome[]> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const report = (await this.#ask(thread, { batch: thread.numbers.batchOf(units) })) as Report;
    if (report.reopened) this.#options.onReopened();
    if (report.kind === 'outside') throw unavailable('write', report.reason);
    return report.units.map(outcomeOf);
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    await this.#ask(thread, 'close');
    this.#thread = undefined;
    thread.worker.terminate();
  }

  #ask(thread: Thread, message: ToWriter): Promise<FromWriter> {
    thread.answer = Promise.withResolvers<FromWriter>();
    thread.worker.postMessage(message);
    return thread.answer.promise;
  }

  #start(): Thread {
    const { file, busyTimeoutMs, startWorker = startWriterWorker } = this.#options;
    const thread: Thread = { worker: startWorker(), numbers: new TextNumbers(), answer: undefined };
    let reason = 'the thread that writes exited';
    thread.worker.onmessage = ({ data }: MessageEvent<FromWriter>) => thread.answer?.resolve(data);
    thread.worker.onerror = (event) => {
      event.preventDefault();
      reason = `the thread that writes died: ${event.message}`;
    };
    thread.worker.addEventListener('close', () => {
      if (this.#thread === thread) this.#thread = undefined;
      // It may have died between its commit and the answer.
      thread.answer?.reject(unavailable('write', reason, true));
    });
    thread.worker.postMessage({ open: { file, busyTimeoutMs } } satisfies ToWriter);
    return thread;
  }
}

function startWriterWorker(): Worker {
  return new Worker(workerUrl('hub/store/sqlite/writer-worker.ts'));
}

function outcomeOf(report: UnitReport): Outcome {
  if (report === true) return { kind: 'stored' };
  if (typeof report === 'string') return { kind: 'refused', tag: report };
  return { kind: 'failed', error: new Error(report.failure) };
}

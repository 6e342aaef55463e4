import type { Database } from 'bun:sqlite';
import type { Reader } from '../database.ts';
import { unavailable } from '../unavailable.ts';
import type { Query } from '../unit/precompile.ts';
import { isOutside, openForReading } from './connection.ts';
import type { FromReadThread, ReadThreadOptions, ToReadThread } from './read-worker.ts';
import { workerUrl } from './worker-url.ts';

type Answer = PromiseWithResolvers<FromReadThread>;

interface Thread {
  readonly worker: Worker;
  readonly answers: Map<number, Answer>;
}

interface ReadThreadParts extends ReadThreadOptions {
  /** The thread died because of a bug or for lack of memory. The next read starts another one. */
  readonly onDeath: (error: Error) => void;
  readonly startWorker?: () => Worker;
}

/** The main thread's end of the thread that reads lists and statistics. The thread starts with the first read. */
export class ReadThread implements Reader {
  readonly #parts: ReadThreadParts;
  #thread: Thread | undefined;
  #lastId = 0;
  #isEnded = false;

  constructor(parts: ReadThreadParts) {
    this.#parts = parts;
  }

  async rows<Row>({ sql, values, isOnce }: Query<Row>): Promise<Row[]> {
    if (this.#isEnded) throw new Error('this store has been disposed of');
    this.#thread ??= this.#start();
    const answer = await this.#ask(this.#thread, (id) => ({ id, sql, values, isOnce: isOnce === true }));
    if ('json' in answer) return JSON.parse(answer.json) as Row[];
    const { failure, code } = answer;
    if (code === undefined) throw new Error(failure);
    throw unavailable('read', Object.assign(new Error(failure), { code }));
  }

  /** Resolves when the thread has no file open. The next read opens it again. */
  async close(): Promise<void> {
    if (this.#thread !== undefined)
      await this.#ask(this.#thread, (id) => ({ close: id })).catch(() => undefined);
  }

  /** Earlier reads are answered first. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.close();
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.worker.terminate();
  }

  #ask({ worker, answers }: Thread, message: (id: number) => ToReadThread): Promise<FromReadThread> {
    const id = ++this.#lastId;
    const answer: Answer = Promise.withResolvers();
    answers.set(id, answer);
    worker.postMessage(message(id));
    return answer.promise;
  }

  #start(): Thread {
    const { file, busyTimeoutMs, startWorker = startReadWorker } = this.#parts;
    const thread: Thread = { worker: startWorker(), answers: new Map() };
    let cause: unknown;
    thread.worker.onmessage = ({ data }: MessageEvent<FromReadThread>) => {
      const id = data.id;
      thread.answers.get(id)?.resolve(data);
      thread.answers.delete(id);
    };
    thread.worker.onerror = (event) => {
      event.preventDefault();
      cause = event.error ?? event.message;
    };
    thread.worker.addEventListener('close', () => this.#died(thread, cause));
    thread.worker.postMessage({ file, busyTimeoutMs } satisfies ToReadThread);
    return thread;
  }

  #died(thread: Thread, cause: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#parts.onDeath(new Error('the thread that reads died', { cause }));
    for (const { reject } of thread.answers.values())
      reject(unavailable('read', 'the thread that reads died'));
  }
}

function startReadWorker(): Worker {
  return new Worker(workerUrl('hub/platform/db/sqlite/read-worker.ts'));
}

/** Point reads on the serving thread. Each takes microseconds; a Worker would answer later. */
export class SqliteReader implements Disposable {
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  #database: Database | undefined;
  #isDisposed = false;

  constructor(file: string, busyTimeoutMs: number) {
    this.#file = file;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async rows<Row>(query: Query<Row>): Promise<Row[]> {
    try {
      return this.#run(query);
    } catch (error) {
      if (!isOutside(error)) throw error;
      this.close();
      throw unavailable('read', error);
    }
  }

  /** The next read opens the file again. */
  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
    this.#isDisposed = true;
  }

  #run<Row>({ sql, values }: Query<Row>): Row[] {
    if (this.#isDisposed) throw new Error('this store has been disposed of');
    this.#database ??= openForReading(this.#file, this.#busyTimeoutMs);
    // `query` caches its prepared statements.
    return this.#database.query<Row, Query<Row>['values'][number][]>(sql).all(...values);
  }
}

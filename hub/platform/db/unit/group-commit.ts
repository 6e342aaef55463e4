import { unavailable } from '../unavailable.ts';
import type { Outcome, UnitOfWork } from './statement.ts';

/** Commits several units in one transaction, each of them whole or not at all. Rejects when it cannot write. */
export interface Transaction {
  commitAll(units: readonly UnitOfWork[]): Promise<readonly Outcome[]>;
}

/** The size limit of a transaction, so that no caller notices the wait for others. */
const MAX_GROUP_UNITS = 512;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;
/** The limit of waiting units: more than a database can commit before callers time out. */
const MAX_WAITING_UNITS = 20_000;
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** The assumed size of a value without its bytes. */
const VALUE_OVERHEAD_BYTES = 32;

/** Called after each commit with the number of writes that shared it, and its duration. */
export type OnCommit = (units: number, durationMs: number) => void;

interface Waiting {
  readonly unit: UnitOfWork;
  readonly bytes: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** One transaction at a time. Units that arrive during a transaction share the next one and its fsync. */
export class GroupCommit {
  readonly #transaction: Transaction;
  readonly #onCommit: OnCommit;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #closed = false;
  #commits = 0;
  #units = 0;

  constructor(transaction: Transaction, onCommit: OnCommit = () => undefined) {
    this.#transaction = transaction;
    this.#onCommit = onCommit;
  }

  /** The number of stored and refused units, and of their transactions. */
  get figures(): { readonly units: number; readonly commits: number } {
    return { units: this.#units, commits: this.#commits };
  }

  commit(unit: UnitOfWork): Promise<Outcome> {
    if (this.#closed) return Promise.reject(new Error('this store has been disposed of'));
    if (this.#waiting.length >= MAX_WAITING_UNITS || this.#waitingBytes >= MAX_WAITING_BYTES)
      return Promise.reject(unavailable('write', `${this.#waiting.length} writes wait already`));
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const bytes = bytesOf(unit);
    this.#waitingBytes += bytes;
    this.#waiting.push({ unit, bytes, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Accepts nothing more; resolves when all waiting units are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Units of one turn of the event loop share a transaction, because requests and frames arrive several at a time.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#commitGroup(this.#nextGroup());
    this.#running = undefined;
  }

  #nextGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const one of this.#waiting) {
      if (count > 0 && (count >= MAX_GROUP_UNITS || bytes + one.bytes > MAX_GROUP_BYTES)) break;
      bytes += one.bytes;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    const beganAtMs = performance.now();
    try {
      const outcomes = await this.#transaction.commitAll(group.map(({ unit }) => unit));
      this.#onCommit(group.length, performance.now() - beganAtMs);
      this.#commits += 1;
      this.#units += group.length;
      group.forEach((one, index) => {
        one.resolve(outcomes[index] ?? { kind: 'failed', error: new Error('a unit without an outcome') });
      });
    } catch (error) {
      for (const one of group) one.reject(error);
    }
  }
}

function bytesOf(unit: UnitOfWork): number {
  let bytes = 0;
  for (const { values } of unit)
    for (const value of values)
      bytes += VALUE_OVERHEAD_BYTES + (value === null || typeof value === 'number' ? 0 : value.length);
  return bytes;
}

import { shareTurns } from '@svc/core/artifact/upload-turns';

/** The turn of an execution at sending its files. */
export interface Turn {
  /** Counts bytes. True if the execution has had enough and others wait: it calls `rejoin` as soon as it can. */
  spend(bytes: number): boolean;
  /** Gives the turn back. */
  leave(): void;
  /** Gives the turn back, and waits for the next one behind those that wait. */
  rejoin(): Promise<void>;
}

/** An execution that has a turn, or waits for one. */
interface Entry {
  /** Undefined: it waits. */
  spentBytes: number | undefined;
  begin: () => void;
}

/** Gives the executions of an agent their turns, so that large files of some do not delay those of others (decision 111, upload turns). */
export class UploadTurns {
  /** In the order in which they began to wait. */
  readonly #entries = new Set<Entry>();

  /** Waits for a turn, and ends it with the action. The signal ends the wait, with its reason. */
  async take(cancelled: AbortSignal, action: (turn: Turn) => Promise<void>): Promise<void> {
    const entry: Entry = { spentBytes: undefined, begin: () => undefined };
    const leave = () => {
      this.#entries.delete(entry);
      this.#share();
    };
    const rejoin = async () => {
      leave();
      await this.#wait(entry, cancelled);
    };
    const spend = (bytes: number) => {
      entry.spentBytes = (entry.spentBytes ?? 0) + bytes;
      return shareTurns([...this.#entries]).yields.includes(entry);
    };
    try {
      await rejoin();
      await action({ spend, leave, rejoin });
    } finally {
      leave();
    }
  }

  async #wait(entry: Entry, cancelled: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWaiting = () => reject(cancelled.reason);
    entry.spentBytes = undefined;
    entry.begin = resolve;
    cancelled.throwIfAborted();
    cancelled.addEventListener('abort', stopWaiting);
    this.#entries.add(entry);
    this.#share();
    try {
      await promise;
      cancelled.throwIfAborted();
    } finally {
      cancelled.removeEventListener('abort', stopWaiting);
    }
  }

  #share(): void {
    for (const entry of shareTurns([...this.#entries]).begins) {
      entry.spentBytes = 0;
      entry.begin();
    }
  }
}

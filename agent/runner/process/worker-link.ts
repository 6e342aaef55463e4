import type { EndingRun } from '@svc/core/execution/frame';
import type { OutputLink } from '../output/link.ts';
import { costOf, WINDOW_BYTES, Window } from '../output/window.ts';
import type { Ending } from '../runner.ts';
import { type LastOutput, type WorkerMessage, writeEnded } from './protocol.ts';

type Tell = (message: WorkerMessage, transfer: Transferable[]) => void;

/** The length from which a transfer is cheaper than text. */
const LAST_BYTES_AT_MOST = 8 * 1024;

/** The Worker's end of the connection between one command and the main thread. */
export class WorkerLink implements OutputLink {
  readonly #id: number;
  readonly #tell: Tell;
  readonly #window = new Window(WINDOW_BYTES);
  readonly #abort = new AbortController();
  #verdict: PromiseWithResolvers<boolean> | undefined;
  #last: LastOutput | undefined;

  constructor(id: number, tell: Tell) {
    this.#id = id;
    this.#tell = tell;
  }

  get cancelled(): AbortSignal {
    return this.#abort.signal;
  }

  send(given: Uint8Array, endings?: readonly EndingRun[]): void {
    const bytes = transferable(given);
    this.#window.take(costOf(bytes));
    const report = { kind: 'output', id: this.#id, bytes } as const;
    this.#tell(endings === undefined ? report : { ...report, endings }, [bytes.buffer]);
  }

  sendLast(bytes: Uint8Array, endings?: readonly EndingRun[]): void {
    if (this.#last !== undefined) this.send(this.#last.bytes, this.#last.endings);
    this.#last = undefined;
    if (bytes.length > LAST_BYTES_AT_MOST) this.send(bytes, endings);
    else this.#last = endings === undefined ? { bytes } : { bytes, endings };
  }

  ended(ending: Ending): void {
    const ended = { kind: 'ended', id: this.#id, ending } as const;
    this.#tell(writeEnded(this.#last === undefined ? ended : { ...ended, last: this.#last }), []);
  }

  ready(): Promise<void> | undefined {
    return this.#window.open();
  }

  judge(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean> {
    this.#verdict = Promise.withResolvers<boolean>();
    if (stdout === undefined) this.#tell({ kind: 'judge', id: this.#id }, []);
    else this.#tell({ kind: 'judge', id: this.#id, stdout }, [stdout.buffer]);
    return this.#verdict.promise;
  }

  cancel(): void {
    this.#abort.abort();
  }

  credit(bytes: number): void {
    this.#window.giveBack(bytes);
  }

  judged(givesOutput: boolean): void {
    this.#verdict?.resolve(givesOutput);
  }
}

/** A transfer takes the whole buffer, so a view on a larger one is copied. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

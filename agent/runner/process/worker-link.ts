import type { Link } from './link.ts';
import { Window } from './output/window.ts';
import { costOf, type Report, WINDOW_BYTES } from './protocol.ts';

type Tell = (report: Report, transfer: Transferable[]) => void;

/** The Worker's end of what connects one command with the main thread. */
export class WorkerLink implements Link {
  readonly #id: number;
  readonly #tell: Tell;
  readonly #window = new Window(WINDOW_BYTES);
  readonly #abort = new AbortController();
  #verdict: PromiseWithResolvers<boolean> | undefined;

  constructor(id: number, tell: Tell) {
    this.#id = id;
    this.#tell = tell;
  }

  get cancelled(): AbortSignal {
    return this.#abort.signal;
  }

  send(given: Uint8Array): void {
    const bytes = transferable(given);
    this.#window.take(costOf(bytes));
    this.#tell({ kind: 'output', id: this.#id, bytes }, [bytes.buffer]);
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

/** Transferring takes a whole buffer away, so what is only a view on one is copied. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

import type { EndingRun } from '@svc/core/execution/frame';
import type { OutputLink } from '../output/link.ts';
import { costOf, WINDOW_BYTES, Window } from '../output/window.ts';
import type { Ending, InputCut, InputPiece } from '../runner.ts';
import type { PieceSource } from './feed-stdin.ts';
import { type LastOutput, type WorkerMessage, writeEnded } from './protocol.ts';

/** The thread itself, which sends messages to the main thread. */
type Thread = { postMessage(message: WorkerMessage, transfer: Transferable[]): void };

/** The length from which a transfer is cheaper than text. */
const MAX_LAST_BYTES = 8 * 1024;

/** The Worker's end of the connection between one command and the main thread. */
export class WorkerLink implements OutputLink {
  /** The input of the command, if its launch has `stdin`. */
  readonly input: WorkerInput;
  readonly #id: number;
  readonly #thread: Thread;
  readonly #window = new Window(WINDOW_BYTES);
  readonly #abort = new AbortController();
  #transformed: PromiseWithResolvers<boolean> | undefined;
  #last: LastOutput | undefined;
  #isOver = false;

  constructor(id: number, thread: Thread) {
    this.#id = id;
    this.#thread = thread;
    this.input = new WorkerInput(() => {
      if (!this.#isOver) thread.postMessage({ kind: 'input_taken', id }, []);
    });
  }

  get cancelled(): AbortSignal {
    return this.#abort.signal;
  }

  send(given: Uint8Array, endings?: readonly EndingRun[]): void {
    const bytes = transferable(given);
    this.#window.take(costOf(bytes));
    const report = { kind: 'output', id: this.#id, bytes } as const;
    this.#thread.postMessage(endings === undefined ? report : { ...report, endings }, [bytes.buffer]);
  }

  sendLast(bytes: Uint8Array, endings?: readonly EndingRun[]): void {
    if (this.#last !== undefined) this.send(this.#last.bytes, this.#last.endings);
    this.#last = undefined;
    if (bytes.length > MAX_LAST_BYTES) this.send(bytes, endings);
    else this.#last = endings === undefined ? { bytes } : { bytes, endings };
  }

  ended(ending: Ending): void {
    this.#isOver = true;
    const ended = { kind: 'ended', id: this.#id, ending } as const;
    this.#thread.postMessage(
      writeEnded(this.#last === undefined ? ended : { ...ended, last: this.#last }),
      [],
    );
  }

  ready(): Promise<void> | undefined {
    return this.#window.open();
  }

  transform(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean> {
    this.#transformed = Promise.withResolvers<boolean>();
    if (stdout === undefined) this.#thread.postMessage({ kind: 'transform', id: this.#id }, []);
    else this.#thread.postMessage({ kind: 'transform', id: this.#id, stdout }, [stdout.buffer]);
    return this.#transformed.promise;
  }

  cancel(): void {
    this.#abort.abort();
  }

  credit(bytes: number): void {
    this.#window.release(bytes);
  }

  transformed(givesOutput: boolean): void {
    this.#transformed?.resolve(givesOutput);
  }
}

/** A transfer takes the whole buffer, so a view on a larger one is copied. */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

type Whole = Exclude<InputPiece, { kind: 'cut' }>;

/** The Worker's end of the input of one command. The main thread sends a few pieces ahead of what the command has taken. */
class WorkerInput implements PieceSource {
  readonly #reportTaken: () => void;
  #received: Whole[] = [];
  #waiting: PromiseWithResolvers<Whole> | undefined;
  #isCut = false;
  #cutOff: (cut: InputCut) => void = () => undefined;

  constructor(reportTaken: () => void) {
    this.#reportTaken = reportTaken;
  }

  onCut(listener: (cut: InputCut) => void): void {
    this.#cutOff = listener;
  }

  /** A cut does not wait for the pieces before it: a command that does not read takes none of them. */
  receive(piece: InputPiece): void {
    if (this.#isCut) return;
    if (piece.kind === 'cut') {
      this.#isCut = true;
      this.#received = [];
      this.#cutOff(piece);
      return;
    }
    if (this.#waiting === undefined) this.#received.push(piece);
    else this.#waiting.resolve(piece);
    this.#waiting = undefined;
  }

  next(): Promise<Whole> {
    const received = this.#received.shift();
    if (received !== undefined) return Promise.resolve(received);
    this.#waiting = Promise.withResolvers<Whole>();
    return this.#waiting.promise;
  }

  taken(): void {
    this.#reportTaken();
  }
}

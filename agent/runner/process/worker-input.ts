import type { InputPiece } from '../runner.ts';
import type { PieceSource } from './feed-stdin.ts';

/** The Worker's end of the input of one command. The main thread sends a piece when the one before was taken. */
export class WorkerInput implements PieceSource {
  readonly #reportTaken: () => void;
  #received: InputPiece | undefined;
  #waiting: PromiseWithResolvers<InputPiece> | undefined;

  constructor(reportTaken: () => void) {
    this.#reportTaken = reportTaken;
  }

  receive(piece: InputPiece): void {
    if (this.#waiting === undefined) this.#received = piece;
    else this.#waiting.resolve(piece);
    this.#waiting = undefined;
  }

  next(): Promise<InputPiece> {
    const received = this.#received;
    this.#received = undefined;
    if (received !== undefined) return Promise.resolve(received);
    this.#waiting = Promise.withResolvers<InputPiece>();
    return this.#waiting.promise;
  }

  taken(): void {
    this.#reportTaken();
  }
}

/** Lets so many in at a time, and the others in the order in which they came. */
export class Semaphore {
  #room: number;
  readonly #waiting: (() => void)[] = [];

  constructor(room: number) {
    this.#room = room;
  }

  /** Settles with how to leave, which is to be called once. */
  async enter(): Promise<() => void> {
    if (this.#room > 0) this.#room -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    return () => this.#leave();
  }

  /** A place goes to the next one, without having been free. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#room += 1;
    else next();
  }
}

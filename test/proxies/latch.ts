import { open } from 'node:fs/promises';

/** A FIFO at which a command waits until the test lets it go on. */
export class Latch {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async make(path: string): Promise<Latch> {
    if ((await Bun.spawn(['mkfifo', path]).exited) !== 0) throw new Error(`mkfifo ${path} failed`);
    return new Latch(path);
  }

  /** Settles when a command that waits there, or arrives, has been released. */
  async open(): Promise<void> {
    const file = await open(this.#path, 'w');
    await file.close();
  }
}

import type { Launch } from '../runner.ts';

/** A launch for its Worker, with the complete environment. */
export type ReadyLaunch = Omit<Launch, 'inherited'>;

/** The message to a Worker about a launch. */
export interface WrittenLaunch {
  readonly launch: Omit<Launch, 'inherited'>;
  /** The number of the inherited environment, which the Worker stores. */
  readonly inherited: number;
  /** The environment itself, in the first message that uses it. */
  readonly newInherited?: Launch['inherited'];
}

/** Writes launches for one Worker. */
export class LaunchWriter {
  readonly #numbers = new WeakMap<Launch['inherited'], number>();
  #count = 0;

  write({ inherited, ...launch }: Launch): WrittenLaunch {
    const known = this.#numbers.get(inherited);
    if (known !== undefined) return { launch, inherited: known };
    const number = this.#count++;
    this.#numbers.set(inherited, number);
    return { launch, inherited: number, newInherited: inherited };
  }
}

/** Reads the messages of the writer for the same Worker. */
export class LaunchReader {
  readonly #inherited: Launch['inherited'][] = [];

  read({ launch, inherited, newInherited }: WrittenLaunch): ReadyLaunch {
    if (newInherited !== undefined) this.#inherited[inherited] = newInherited;
    return { ...launch, env: { ...this.#inherited[inherited], ...launch.env } };
  }
}

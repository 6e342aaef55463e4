import type { Launch } from '../runner.ts';

/** A launch as its Worker needs it: with the whole environment in one. */
export type ReadyLaunch = Omit<Launch, 'inherited'>;

/** What a Worker is told of a launch. */
export interface WrittenLaunch {
  readonly launch: Omit<Launch, 'inherited'>;
  /** Which of the inherited environments; the Worker keeps them. */
  readonly inherited: number;
  /** The environment itself, the first time that it is named. */
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

/** Reads what the writer of the same Worker wrote. */
export class LaunchReader {
  readonly #inherited: Launch['inherited'][] = [];

  read({ launch, inherited, newInherited }: WrittenLaunch): ReadyLaunch {
    if (newInherited !== undefined) this.#inherited[inherited] = newInherited;
    return { ...launch, env: { ...this.#inherited[inherited], ...launch.env } };
  }
}

import type { Launch } from '../runner.ts';

/** A launch as its Worker needs it: with the whole environment in one. */
export type ReadyLaunch = Omit<Launch, 'inherited'>;

/** What a Worker is told of a launch: JSON, of which a structured clone takes twice the time. */
export interface WrittenLaunch {
  readonly launch: string;
  /** Which of the inherited environments; the Worker keeps them. */
  readonly inherited: number;
  /** The environment itself, the first time that it is named. */
  readonly newInherited?: string;
}

/** Writes launches for one Worker. */
export class LaunchWriter {
  readonly #numbers = new WeakMap<Launch['inherited'], number>();
  #count = 0;

  write({ inherited, ...launch }: Launch): WrittenLaunch {
    const text = JSON.stringify(launch);
    const known = this.#numbers.get(inherited);
    if (known !== undefined) return { launch: text, inherited: known };
    const number = this.#count++;
    this.#numbers.set(inherited, number);
    return { launch: text, inherited: number, newInherited: JSON.stringify(inherited) };
  }
}

/** Reads what the writer of the same Worker wrote. */
export class LaunchReader {
  readonly #inherited: Launch['inherited'][] = [];

  read({ launch: text, inherited, newInherited }: WrittenLaunch): ReadyLaunch {
    if (newInherited !== undefined) this.#inherited[inherited] = JSON.parse(newInherited);
    const launch = JSON.parse(text) as ReadyLaunch;
    return { ...launch, env: { ...this.#inherited[inherited], ...launch.env } };
  }
}

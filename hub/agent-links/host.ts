/** What a host of the hosted runner has room for, and the volumes of pipeline runs that it keeps. */
export class Host {
  readonly capacity: number;
  readonly #volumes: Set<string>;
  /** Places for executions that are about to begin. */
  #held = 0;

  constructor(capacity: number, volumes: readonly string[]) {
    this.capacity = capacity;
    this.#volumes = new Set(volumes);
  }

  get volumes(): ReadonlySet<string> {
    return this.#volumes;
  }

  hasRoom(running: number): boolean {
    return running + this.#held < this.capacity;
  }

  /** The share of it that is taken: hosts may be of different sizes. */
  load(running: number): number {
    return (running + this.#held) / this.capacity;
  }

  /** The returned function gives the place back, once. */
  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held -= 1;
      isHeld = false;
    };
  }

  /** It has the volume of the run from now on. */
  keeps(runId: string | undefined): void {
    if (runId !== undefined) this.#volumes.add(runId);
  }

  /** It has been told that the run has ended. */
  drops(runId: string): void {
    this.#volumes.delete(runId);
  }
}

/** The capacity of a host of the hosted runner, and the pipeline runs whose volumes it keeps. */
export class Host {
  readonly capacity: number;
  readonly #volumes: Set<string>;
  /** Slots reserved for executions that are about to begin. */
  #reserved = 0;

  constructor(capacity: number, volumes: readonly string[]) {
    this.capacity = capacity;
    this.#volumes = new Set(volumes);
  }

  get volumes(): ReadonlySet<string> {
    return this.#volumes;
  }

  hasRoom(running: number): boolean {
    return running + this.#reserved < this.capacity;
  }

  /** The used share of the capacity, because hosts may differ in size. */
  load(running: number): number {
    return (running + this.#reserved) / this.capacity;
  }

  /** Reserves a slot; the returned function releases it, once. */
  reserveSlot(): () => void {
    this.#reserved += 1;
    let isReserved = true;
    return () => {
      if (isReserved) this.#reserved -= 1;
      isReserved = false;
    };
  }

  /** Records that the host has the volume of the run. */
  keeps(runId: string | undefined): void {
    if (runId !== undefined) this.#volumes.add(runId);
  }

  /** Records that the host removes the volume of an ended run. */
  drops(runId: string): void {
    this.#volumes.delete(runId);
  }
}

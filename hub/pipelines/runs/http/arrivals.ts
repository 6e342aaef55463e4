/** Merges values from several sources in order of arrival, for one consumer. */
export class Arrivals<Item> {
  readonly #items: (() => Item)[] = [];
  #wake: (() => void) | undefined;

  push(item: Item): void {
    this.#add(() => item);
  }

  /** Adds the promise's value, or its rejection, which `next` then throws. */
  pushWhen(coming: Promise<Item>): void {
    coming.then(
      (item) => this.push(item),
      (error: unknown) =>
        this.#add(() => {
          throw error;
        }),
    );
  }

  async next(): Promise<Item> {
    while (this.#items.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return (this.#items.shift() as () => Item)();
  }

  #add(item: () => Item): void {
    this.#items.push(item);
    this.#wake?.();
  }
}

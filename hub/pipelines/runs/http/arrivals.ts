/** What comes from several sides, in the order in which it came; for one that waits for it. */
export class Arrivals<Item> {
  readonly #items: (() => Item)[] = [];
  #wake: (() => void) | undefined;

  push(item: Item): void {
    this.#add(() => item);
  }

  /** The promise's value, or its rejection, which `next` throws then. */
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

import { isWithin, type Span } from './script.ts';

/** Finds what lies within a part of the text, in the order of the text, without looking at everything. */
export class SpanIndex<Item extends Span> {
  readonly #sorted: readonly Item[];

  constructor(items: readonly Item[]) {
    this.#sorted = [...items].sort((a, b) => a.start - b.start);
  }

  within(span: Span): readonly Item[] {
    const found: Item[] = [];
    for (let i = this.#firstFrom(span.start); i < this.#sorted.length; i++) {
      const item = this.#sorted[i];
      if (item === undefined || item.start >= span.end) break;
      if (isWithin(item, span)) found.push(item);
    }
    return found;
  }

  /** The index of the first item that begins at `start` or behind it. */
  #firstFrom(start: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle]?.start ?? start) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
